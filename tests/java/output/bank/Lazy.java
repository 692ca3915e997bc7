package bank;

import java.util.List;

/** Looks at its strings late, or never. */
class Lazy {
    static int five(int a, String s) {
        if (a < 3) return 1;
        if (a < 10) return 2;
        if (a == 50) return 3;
        if (a <= 1000) return 4;
        return s.charAt(0) == 'k' ? 5 : 6;
    }

    static int never(String s, boolean b, List<String> kept) {
        if (kept != null) kept.add(s);
        return s == null ? 1 : b ? 2 : 3;
    }

    static boolean same(String s) {
        return "a".equals(s);
    }

    static boolean wide(String s) {
        return s.length() == 2 && s.charAt(1) == '\u1234';
    }
}
