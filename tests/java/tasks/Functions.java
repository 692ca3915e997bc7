import org.sosy_lab.sv_benchmarks.Verifier;

/** Functions of which only the JVM knows the last bit: what follows from them is found, and never claimed to be all. */
public class Functions {

    // fails
    static class SineOfLargeNumbers {
        public static void main(String[] args) {
            double x = Verifier.nondetDouble();
            assert !(Math.sin(x) > 0.5 && x > 3);
        }
    }

    // holds, not shown
    static class SineIsAtMostOne {
        public static void main(String[] args) {
            double x = Verifier.nondetDouble();
            if (x > -1000 && x < 1000) assert Math.sin(x) <= 1.0;
        }
    }

    // fails
    static class SineTimesCosine {
        public static void main(String[] args) {
            double x = Verifier.nondetDouble();
            if (x > 0 && x < 1) assert Math.sin(x) * Math.cos(x) < 0.49;
        }
    }

    // fails
    static class LogarithmBetween {
        public static void main(String[] args) {
            double x = Verifier.nondetDouble();
            double y = Math.log(x);
            assert !(y > 10 && y < 10.001);
        }
    }

    // fails
    static class CubeOfInt {
        public static void main(String[] args) {
            int x = Verifier.nondetInt();
            assert Math.pow(x, 3) != 1331;
        }
    }

    // fails
    static class AngleOfTwo {
        public static void main(String[] args) {
            double x = Verifier.nondetDouble();
            double y = Verifier.nondetDouble();
            double angle = Math.atan2(y, x);
            assert !(angle > 2 && angle < 2.001);
        }
    }

    // fails
    static class Degrees {
        public static void main(String[] args) {
            double x = Verifier.nondetDouble();
            if (x >= 0 && x <= 90) assert Math.sin(Math.toRadians(x)) < 0.99;
        }
    }

    // fails
    static class StrictFunctions {
        public static void main(String[] args) {
            double x = Verifier.nondetDouble();
            assert !(StrictMath.tanh(x) > 0.5 && StrictMath.acos(x) > 0.5);
        }
    }

    // fails
    static class DigitsOfLong {
        public static void main(String[] args) {
            long x = Verifier.nondetLong();
            assert !Long.toString(x).equals("8996580884312142438");
        }
    }

    // holds
    static class LettersAreNoDigits {
        public static void main(String[] args) {
            assert !("n" + Verifier.nondetInt()).contains("I");
        }
    }
}
