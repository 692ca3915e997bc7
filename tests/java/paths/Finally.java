// complete
public class Finally {
    static int log;

    static class Lock implements AutoCloseable {
        final int n;

        Lock(int n) { this.n = n; log = 3 * log + n; }

        @Override
        public void close() { log = 5 * log + n; if (n == 13) throw new IllegalStateException(); }
    }

    static int inner(byte a, byte b) {
        try {
            try {
                if (a == 4) throw new RuntimeException();
                if (a == 5) return 1;
                return 100 / b > 20 ? 8 : 9;
            } catch (ArithmeticException e) {
                if (a == 6) throw new Error("again", e);
                return 2;
            } finally {
                log += 10;
                if (b == 7) return 3;
            }
        } catch (RuntimeException e) {
            return 4;
        } finally {
            log += 1;
        }
    }

    static int path(byte a, byte b) {
        log = 0;
        try (Lock x = new Lock(a); Lock y = new Lock(2)) {
            int n = inner(a, b);
            return log > 60 ? n + 20 : n;
        } catch (IllegalStateException e) {
            return 6 + e.getSuppressed().length;
        } finally {
            if (log == 77) log = 0;
        }
    }
}
