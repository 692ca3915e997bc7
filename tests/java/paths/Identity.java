// complete
public class Identity {
    @SuppressWarnings({"removal", "deprecation"})
    static int path(short a) {
        Integer x = (int) a;
        Integer y = (int) a;
        Integer five = 5;
        Integer big = 1000;
        if (x == five) return 1;
        if (x == big) return 2;
        if (x.equals(big)) return 3;
        boolean same = x == y;
        if (new Integer(a) == y || new Integer(a) != new Integer(a) == false) return 4;
        if (!same) return a > 0 ? 5 : 6;
        Long z = (long) a;
        Short s = a;
        if (z == Long.valueOf(-100L)) return 7;
        if (s == Short.valueOf((short) 101)) return 8;
        return x + s == 202 ? 9 : 10;
    }
}
