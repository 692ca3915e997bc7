package org.cprover;

import polypath.Symbolic;

/** JBMC's source of input. */
public final class CProver {
    private CProver() {}

    private static final String NAME = "nondet";

    public static boolean nondetBoolean() { return Symbolic.booleanValue(NAME); }
    public static byte nondetByte() { return Symbolic.byteValue(NAME); }
    public static short nondetShort() { return Symbolic.shortValue(NAME); }
    public static char nondetChar() { return Symbolic.charValue(NAME); }
    public static int nondetInt() { return Symbolic.intValue(NAME); }
    public static long nondetLong() { return Symbolic.longValue(NAME); }
    public static float nondetFloat() { return Symbolic.floatValue(NAME); }
    public static double nondetDouble() { return Symbolic.doubleValue(NAME); }

    /** Null, or this object. There are more, so something is left out. */
    public static <T> T nondetWithNull(T instance) {
        Symbolic.leavesOut();
        return Symbolic.booleanValue(NAME) ? null : instance;
    }

    /** This object. There are more, so something is left out. */
    public static <T> T nondetWithoutNull(T instance) {
        Symbolic.leavesOut();
        return instance;
    }

    public static void assume(boolean condition) {
        Symbolic.assume(condition);
    }
}
