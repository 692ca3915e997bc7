// complete
public class Nested {
    static int f(byte a) throws Exception {
        try {
            try {
                if (a == 1) throw new Exception();
                if (a == 2) return 2;
                if (a < -100) throw new Error();
                return 0;
            } finally {
                if (a == 2) a++;
                if (a == 3) return 33;
            }
        } catch (Exception e) {
            return 1;
        }
    }

    static int path(byte a, byte b) throws Exception {
        synchronized (Nested.class) {
            int x = f(a);
            for (int i = 0; i < 3; i++) {
                if (i == b) { x += 100; continue; }
                if (b == 77) break;
                x += 10;
            }
            return x;
        }
    }
}
