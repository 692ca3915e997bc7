package org.sosy_lab.sv_benchmarks;

import polypath.Symbolic;

/** SV-COMP's source of input. */
public final class Verifier {
    private Verifier() {}

    private static final String NAME = "nondet";

    public static boolean nondetBoolean() { return Symbolic.booleanValue(NAME); }
    public static byte nondetByte() { return Symbolic.byteValue(NAME); }
    public static short nondetShort() { return Symbolic.shortValue(NAME); }
    public static char nondetChar() { return Symbolic.charValue(NAME); }
    public static int nondetInt() { return Symbolic.intValue(NAME); }
    public static long nondetLong() { return Symbolic.longValue(NAME); }
    public static float nondetFloat() { return Symbolic.floatValue(NAME); }
    public static double nondetDouble() { return Symbolic.doubleValue(NAME); }
    public static String nondetString() { return Symbolic.string(NAME, Integer.MAX_VALUE); }

    /** Null, or an object of no class of the program. There are more, so something is left out. */
    public static Object nondetObject() {
        Symbolic.leavesOut();
        return Symbolic.booleanValue(NAME) ? null : new Object();
    }

    /** What the program's own factory makes: all that it can make, and nothing else. */
    public static <T> T nondetObject(Class<T> type, ObjectFactory<? extends T> factory) {
        return factory.createObject();
    }

    public static void assume(boolean condition) {
        Symbolic.assume(condition);
    }
}
