package gov.nasa.jpf.symbc;

import polypath.Symbolic;

/** Symbolic PathFinder's source of input. */
public final class Debug {
    private Debug() {}

    public static boolean makeSymbolicBoolean(String name) { return Symbolic.booleanValue(name); }
    public static byte makeSymbolicByte(String name) { return Symbolic.byteValue(name); }
    public static short makeSymbolicShort(String name) { return Symbolic.shortValue(name); }
    public static char makeSymbolicChar(String name) { return Symbolic.charValue(name); }
    public static int makeSymbolicInteger(String name) { return Symbolic.intValue(name); }
    public static long makeSymbolicLong(String name) { return Symbolic.longValue(name); }
    public static double makeSymbolicReal(String name) { return Symbolic.doubleValue(name); }
    public static String makeSymbolicString(String name) { return Symbolic.string(name, Integer.MAX_VALUE); }

    /** A string of so many characters. */
    public static String makeSymbolicString(String name, int size) {
        return new String(Symbolic.chars(name, size));
    }

    public static void assume(boolean condition) {
        Symbolic.assume(condition);
    }
}
