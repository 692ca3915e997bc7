import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.function.*;
import java.util.regex.*;
import java.util.stream.*;
import org.sosy_lab.sv_benchmarks.Verifier;

/** Arrays, exceptions, recursion and loops. */
public class Control {

    // fails
    static class BoundsByInput {
        public static void main(String[] args) {
            int i = Verifier.nondetInt();
            int[] a = {1, 2, 3};
            try { a[i]++; } catch (ArrayIndexOutOfBoundsException e) { assert i < 3; }
        }
    }

    // holds
    static class BoundsAreChecked {
        public static void main(String[] args) {
            int i = Verifier.nondetInt();
            int[] a = {1, 2, 3};
            if (i >= 0 && i < 3) assert a[i] == i + 1;
        }
    }

    // fails
    static class WriteAtInput {
        public static void main(String[] args) {
            byte i = Verifier.nondetByte();
            int[] a = new int[8];
            Verifier.assume(i >= 0 && i < 8);
            a[i] = 7;
            assert a[6] == 0;
        }
    }

    // fails
    static class NegativeSize {
        public static void main(String[] args) {
            byte n = Verifier.nondetByte();
            Verifier.assume(n < 4);
            try { assert new int[n].length >= 0; } catch (NegativeArraySizeException e) { assert false; }
        }
    }

    // holds
    static class FinallyRuns {
        public static void main(String[] args) {
            int x = Verifier.nondetInt();
            int n = 0;
            try { if (x > 5) throw new IllegalStateException(); } catch (IllegalStateException e) { n = 1; } finally { n += 2; } assert n == (x > 5 ? 3 : 2);
        }
    }

    // fails
    static class CatchThrowable {
        public static void main(String[] args) {
            byte x = Verifier.nondetByte();
            try { int n = 1 / (x - 50); } catch (Throwable t) { assert x != 50; }
        }
    }

    // fails
    static class DeepRecursion {
        public static void main(String[] args) {
            int x = Verifier.nondetInt();
            class R { int down(int n) { return n == x ? 0 : 1 + down(n + 1); } } Verifier.assume(x < 0);
            try { new R().down(1); } catch (StackOverflowError e) { assert false; }
        }
    }

    // holds
    static class BoundedLoop {
        public static void main(String[] args) {
            byte n = Verifier.nondetByte();
            int sum = 0;
            for (int i = 0; i < (n & 15); i++) sum += i;
            assert sum <= 105;
        }
    }

    // fails
    static class LoopUntil {
        public static void main(String[] args) {
            byte n = Verifier.nondetByte();
            int k = 0;
            while (k < n && k < 40) k++;
            assert k != 33;
        }
    }

    // fails
    static class ParseFails {
        public static void main(String[] args) {
            char c = Verifier.nondetChar();
            Verifier.assume(c < 128);
            try { Integer.parseInt("1" + c); } catch (NumberFormatException e) { assert c != 'x'; }
        }
    }

    // fails
    static class ThrownByTheLibrary {
        public static void main(String[] args) {
            byte x = Verifier.nondetByte();
            try { "abc".substring(x); } catch (StringIndexOutOfBoundsException e) { assert x < 0; }
        }
    }

    // holds
    static class SwitchOnInput {
        public static void main(String[] args) {
            int x = Verifier.nondetInt();
            int y;
            switch (x) { case 1: y = 2; break; case 1000000: y = 3; break; default: y = x == 7 ? 7 : 0; } assert y != 7 || x == 7;
        }
    }

    // fails
    static class SuppressedByInput {
        public static void main(String[] args) {
            byte x = Verifier.nondetByte();
            Throwable t = new Exception();
            if (x == 9) t.addSuppressed(new Error());
            assert t.getSuppressed().length == 0;
        }
    }

    // holds
    static class ExitsBefore {
        public static void main(String[] args) {
            int x = Verifier.nondetInt();
            if (x == 3) System.exit(1);
            assert x != 3;
        }
    }

    // holds
    static class HaltsBefore {
        public static void main(String[] args) {
            int x = Verifier.nondetInt();
            try { if (x == 3) Runtime.getRuntime().halt(1); } finally { if (x == 3) x = 4; } assert x != 3;
        }
    }

    // holds, not shown
    static class RunsForEver {
        public static void main(String[] args) {
            int x = Verifier.nondetInt();
            while (x != 0) { if (x == 12) x = 12; }
        }
    }

    // holds, not shown
    static class WaitsForEver {
        public static void main(String[] args) {
            int x = Verifier.nondetInt();
            if (x == 4) { synchronized (Verifier.class) { try { Verifier.class.wait(); } catch (InterruptedException e) { } } }
        }
    }

    // holds, not shown
    static class InternsInput {
        public static void main(String[] args) {
            char c = Verifier.nondetChar();
            Verifier.assume(c < 128);
            assert ("" + c).intern() == ("" + c).intern();
        }
    }
}
