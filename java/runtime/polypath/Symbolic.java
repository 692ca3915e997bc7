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
    public static int[] ints(String name, int length) { return new int[length]; }

    /** Only inputs with which this holds are of interest. */
    public static void assume(boolean condition) {
        if (!condition) throw new IllegalStateException("an assumption does not hold");
    }
}
