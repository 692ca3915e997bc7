package polypath;

/**
 * Input of a program under test. Under {@code polypath java run} each call is a value that Polypath chooses; woven code
 * does not come here. On a plain JVM all values are zero, and an assumption that does not hold ends the program.
 */
public final class Symbolic {
    private Symbolic() {}

    public static boolean booleanValue(String name) { return false; }
    public static byte byteValue(String name) { return 0; }
    public static short shortValue(String name) { return 0; }
    public static char charValue(String name) { return 0; }
    public static int intValue(String name) { return 0; }
    public static long longValue(String name) { return 0; }
    public static float floatValue(String name) { return 0; }
    public static double doubleValue(String name) { return 0; }
    public static byte[] bytes(String name, int length) { return new byte[length]; }
    public static char[] chars(String name, int length) { return new char[length]; }
    public static int[] ints(String name, int length) { return new int[length]; }

    /** A string of at most so many characters; if that is more than {@code --string-len}, longer ones are left out. */
    public static String string(String name, int longest) { return ""; }

    /** A length from 0 to the most; long ones are left out as for strings. */
    public static int length(String name, int most) { return 0; }

    /** There is more input than the program is given from here on. */
    public static void leavesOut() {}

    /** Only inputs with which this holds are of interest. */
    public static void assume(boolean condition) {
        if (!condition) throw new IllegalStateException("an assumption does not hold");
    }
}
