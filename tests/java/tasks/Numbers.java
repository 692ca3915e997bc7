import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.function.*;
import java.util.regex.*;
import java.util.stream.*;
import org.sosy_lab.sv_benchmarks.Verifier;

/** Integers, conversions and floats. */
public class Numbers {

    // holds
    static class WrapAround {
        public static void main(String[] args) {
            int x = Verifier.nondetInt();
            Verifier.assume(x > 0);
            assert x + 1 > 0 || x == Integer.MAX_VALUE;
        }
    }

    // fails
    static class AbsOfLeast {
        public static void main(String[] args) {
            int x = Verifier.nondetInt();
            assert Math.abs(x) >= 0;
        }
    }

    // holds
    static class AbsOfOthers {
        public static void main(String[] args) {
            int x = Verifier.nondetInt();
            Verifier.assume(x != Integer.MIN_VALUE);
            assert Math.abs(x) >= 0;
        }
    }

    // fails
    static class DivideByInput {
        public static void main(String[] args) {
            int x = Verifier.nondetInt();
            try { int y = 10 / x; } catch (ArithmeticException e) { assert false; }
        }
    }

    // holds
    static class LeastByMinusOne {
        public static void main(String[] args) {
            int x = Verifier.nondetInt();
            if (x == -1) assert Integer.MIN_VALUE / x == Integer.MIN_VALUE;
        }
    }

    // holds
    static class ShiftsByLowBits {
        public static void main(String[] args) {
            int x = Verifier.nondetInt();
            byte n = Verifier.nondetByte();
            assert x << n == x << (n & 31);
        }
    }

    // fails
    static class ByteWraps {
        public static void main(String[] args) {
            byte b = Verifier.nondetByte();
            b++;
            assert b > Byte.MIN_VALUE;
        }
    }

    // holds
    static class CharsAreNotNegative {
        public static void main(String[] args) {
            char c = Verifier.nondetChar();
            int n = c;
            assert n >= 0 && n <= 65535;
        }
    }

    // fails
    static class ShortLosesBits {
        public static void main(String[] args) {
            int x = Verifier.nondetInt();
            assert (short) x == x;
        }
    }

    // holds
    static class LongProduct {
        public static void main(String[] args) {
            int x = Verifier.nondetInt();
            short y = Verifier.nondetShort();
            long p = (long) x * y;
            assert p <= 1L << 46;
        }
    }

    // fails
    static class LongSum {
        public static void main(String[] args) {
            long x = Verifier.nondetLong();
            long y = x + 2;
            assert y > x;
        }
    }

    // holds
    static class AddExact {
        public static void main(String[] args) {
            byte x = Verifier.nondetByte();
            try { assert Math.addExact((int) x, Integer.MAX_VALUE) >= Integer.MAX_VALUE - 128; } catch (ArithmeticException e) { assert x > 0; }
        }
    }

    // holds
    static class SaturatingCast {
        public static void main(String[] args) {
            float f = Verifier.nondetFloat();
            if (f > 3e9f) assert (int) f == Integer.MAX_VALUE;
        }
    }

    // fails
    static class NanEqualsNothing {
        public static void main(String[] args) {
            double d = Verifier.nondetDouble();
            assert d == d;
        }
    }

    // holds
    static class NanByCompare {
        public static void main(String[] args) {
            double d = Verifier.nondetDouble();
            assert Double.compare(d, d) == 0;
        }
    }

    // fails
    static class NegativeZero {
        public static void main(String[] args) {
            float f = Verifier.nondetFloat();
            if (f == 0) assert 1 / f > 0;
        }
    }

    // holds
    static class RootOfByte {
        public static void main(String[] args) {
            byte b = Verifier.nondetByte();
            if (b >= 0) { double r = Math.sqrt(b); assert r * r < b + 0.001; }
        }
    }

    // fails
    static class RoundUp {
        public static void main(String[] args) {
            double d = Verifier.nondetDouble();
            Verifier.assume(d > 0 && d < 10);
            assert Math.ceil(d) < 10;
        }
    }

    // holds
    static class BitCount {
        public static void main(String[] args) {
            byte b = Verifier.nondetByte();
            assert Integer.bitCount(b & 255) <= 8;
        }
    }

    // fails
    static class ReverseOfInt {
        public static void main(String[] args) {
            int x = Verifier.nondetInt();
            assert Integer.reverse(x) != 1;
        }
    }
}
