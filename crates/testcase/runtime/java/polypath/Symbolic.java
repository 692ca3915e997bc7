package polypath;

/** Input of a program under test, in replay. */
public final class Symbolic {
    private Symbolic() {}

    public static boolean booleanValue(String name) { return Given.said("boolean", (Given.value(name, 1) & 1) != 0); }
    public static byte byteValue(String name) { return Given.said("byte", (byte) Given.value(name, 1)); }
    public static short shortValue(String name) { return Given.said("short", (short) Given.value(name, 2)); }
    public static char charValue(String name) { return Given.said("char", (char) Given.value(name, 2)); }
    public static int intValue(String name) { return Given.said("int", (int) Given.value(name, 4)); }
    public static long longValue(String name) { return Given.said("long", Given.value(name, 8)); }
    public static float floatValue(String name) { return Given.said("float", Float.intBitsToFloat((int) Given.value(name, 4))); }
    public static double doubleValue(String name) { return Given.said("double", Double.longBitsToDouble(Given.value(name, 8))); }
    public static byte[] bytes(String name, int length) { return Given.bytes(name, length); }

    public static int[] ints(String name, int length) {
        byte[] bytes = Given.bytes(name, 4 * length);
        int[] all = new int[length];
        java.nio.ByteBuffer.wrap(bytes).order(java.nio.ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(all);
        return all;
    }

    public static char[] chars(String name, int length) {
        byte[] bytes = Given.bytes(name, 2 * length);
        char[] all = new char[length];
        java.nio.ByteBuffer.wrap(bytes).order(java.nio.ByteOrder.LITTLE_ENDIAN).asCharBuffer().get(all);
        return all;
    }

    public static int length(String name, int most) { return (char) Given.value(name, 2); }
    public static String string(String name, int longest) {
        return Given.said("java.lang.String", new String(chars(name, length(name + ".length", longest))));
    }

    public static void leavesOut() {}

    public static void assume(boolean condition) {
        if (!condition) throw new IllegalStateException("an assumption does not hold");
    }
}
