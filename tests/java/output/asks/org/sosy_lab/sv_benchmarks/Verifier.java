package org.sosy_lab.sv_benchmarks;

/** As SV-COMP's: random values, so that a replay without the test's own would fail. */
public final class Verifier {
    private static final java.util.Random random = new java.util.Random(1);

    public static void assume(boolean condition) {
        if (!condition) Runtime.getRuntime().halt(1);
    }

    public static int nondetInt() { return random.nextInt(); }
    public static short nondetShort() { return (short) random.nextInt(); }
}
