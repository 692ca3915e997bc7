import java.util.function.Supplier;

/** What the JVM says where something is null: it names methods, fields and locals. */
public class Nulls {
    int number;
    Nulls next;
    long[][] table;

    Nulls next(int steps, long far, String why, double d) {
        return next;
    }

    static Object nothing(byte small, Object other) {
        return null;
    }

    public static void main(String[] args) throws Exception {
        int first = System.in.read();
        locals(null, 3, null);
        say(() -> fields(new Nulls()));
        say(() -> arrays(1, null));
        say(() -> new Nulls().next(3, 4, "x", 5.5).number);
        say(() -> new Nulls().next.next(3, 4, "x", 5.5));
        say(() -> nothing((byte) 1, null).toString());
        say(Nulls::unboxed);
        say(() -> "abc".compareTo(null));
        say(() -> {
            synchronized (nothing((byte) 2, null)) {
                return 1;
            }
        });
        say(() -> {
            throw (RuntimeException) nothing((byte) 3, null);
        });
        if (first == 'x') System.out.println("x");
    }

    private static void say(Supplier<Object> what) {
        try {
            System.out.println(what.get());
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
            System.out.println(e);
        }
    }

    private static void locals(String given, int n, Nulls changed) {
        long far = n;
        String found = n > 5 ? "x" : null;
        for (int k = 0; k < 3; k++) {
            Nulls inner = k > 5 ? new Nulls() : null;
            try {
                switch (k) {
                    case 0: far += given.length(); break;
                    case 1: far += found.charAt(n); break;
                    default: inner.number = n;
                }
            } catch (NullPointerException e) {
                System.out.println(e.getMessage());
            }
        }
        try {
            changed = new Nulls().next;
            System.out.println(changed.next(n, far, found, 1));
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
    }

    private static Object fields(Nulls start) {
        start.next = new Nulls();
        return start.next.next.number++;
    }

    private static Object arrays(int n, int[] given) {
        Nulls a = new Nulls();
        long[][] table = new long[2][];
        try {
            table[n][n + 1] = 3;
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            System.out.println(given.length);
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            System.out.println(given.clone().length);
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            System.out.println(new String[2][].clone()[1].clone().length);
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            given[n] += 2;
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        return a.table[n][n];
    }

    private static Object unboxed() {
        Integer box = nothing((byte) 4, null) == null ? null : 5;
        return box + 1;
    }
}
