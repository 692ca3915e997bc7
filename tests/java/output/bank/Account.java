package bank;

/** A class with what a test in Java has to write: objects, literals of all types, results of all types, exceptions. */
class Account {
    enum Kind { PLAIN, SAVING }

    private final int limit;
    private int balance;

    Account(int limit) {
        if (limit < 0) throw new IllegalArgumentException("a limit");
        this.limit = limit;
    }

    /** An error of the program for an amount of 0. */
    int withdraw(int amount, String note) {
        if (amount > limit) throw new IllegalStateException("\"too\" much: \\u" + note);
        if (note.equals("\"\\\n")) return -1;
        balance -= amount;
        return 100 / amount;
    }

    static Object result(byte which, boolean on, double d, Kind kind, char[] text) {
        switch (which) {
            case 0: return on ? "a\u20ac\"" : null;
            case 1: return new float[] {0.1f, Float.NaN};
            case 2: return Long.MIN_VALUE;
            case 3: return kind;
            case 4: return new Account(5);
            case 5: return d > 1.5 ? -0.0 : d;
            case 6: return new String[] {"x", null};
            default: return text.length > 0 && text[0] == '\'' ? text : 'c';
        }
    }

    private static float hidden(float f, Boolean box, java.util.List<String> list) {
        if (box == null) return -1;
        if (list != null && list.contains("a")) return list.size();
        return f > 3 ? f : box ? 0.5f : Float.NEGATIVE_INFINITY;
    }

    static int stops(int x) {
        if (x == 7) System.exit(3);
        System.out.println("went on");
        return x;
    }
}
