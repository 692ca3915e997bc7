import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.function.*;
import java.util.regex.*;
import java.util.stream.*;
import org.sosy_lab.sv_benchmarks.Verifier;

/** Objects, boxes, collections, lambdas and records. */
public class Objects {

    // fails
    static class IntegerCache {
        public static void main(String[] args) {
            short x = Verifier.nondetShort();
            Integer a = (int) x;
            Integer b = (int) x;
            assert a == b;
        }
    }

    // holds
    static class IntegerEquals {
        public static void main(String[] args) {
            short x = Verifier.nondetShort();
            Integer a = (int) x;
            Integer b = (int) x;
            assert a.equals(b) && a.hashCode() == b.hashCode();
        }
    }

    // holds
    static class SmallIntegersAreOne {
        public static void main(String[] args) {
            byte x = Verifier.nondetByte();
            Integer a = (int) x;
            Integer b = (int) x;
            assert a == b;
        }
    }

    // fails
    static class LongIsNoInteger {
        public static void main(String[] args) {
            int x = Verifier.nondetInt();
            Object a = (long) x;
            Object b = x;
            assert a.equals(b) || x != 77;
        }
    }

    // fails
    static class ListOfBoxes {
        public static void main(String[] args) {
            byte x = Verifier.nondetByte();
            List<Byte> all = new ArrayList<>(List.of((byte) 1, (byte) 2));
            assert !all.contains(x);
        }
    }

    // holds
    static class SortedTwo {
        public static void main(String[] args) {
            int x = Verifier.nondetInt();
            int y = Verifier.nondetInt();
            List<Integer> all = new ArrayList<>(Arrays.asList(x, y));
            Collections.sort(all);
            assert all.get(0) <= all.get(1);
        }
    }

    // fails
    static class MapMisses {
        public static void main(String[] args) {
            byte x = Verifier.nondetByte();
            Map<Integer, String> m = new HashMap<>();
            m.put(5, "five");
            try { m.get((int) x).length(); } catch (NullPointerException e) { assert x == 5 || x > 0; }
        }
    }

    // holds
    static class TreeMapOrder {
        public static void main(String[] args) {
            byte x = Verifier.nondetByte();
            TreeMap<Byte, Integer> m = new TreeMap<>();
            m.put(x, 1);
            m.put((byte) 0, 2);
            assert m.firstKey() <= 0;
        }
    }

    // fails
    static class LambdaAdds {
        public static void main(String[] args) {
            int x = Verifier.nondetInt();
            IntUnaryOperator f = n -> n + x;
            assert f.applyAsInt(3) != 12345;
        }
    }

    // holds
    static class ComposedFunctions {
        public static void main(String[] args) {
            byte x = Verifier.nondetByte();
            Function<Integer, Integer> f = n -> n * 2;
            assert f.andThen(n -> n + 1).apply((int) x) == 2 * x + 1;
        }
    }

    // fails
    static class StreamFilter {
        public static void main(String[] args) {
            byte x = Verifier.nondetByte();
            byte y = Verifier.nondetByte();
            assert IntStream.of(x, y).filter(n -> n > 100).count() < 2;
        }
    }

    // holds
    static class StreamSum {
        public static void main(String[] args) {
            byte x = Verifier.nondetByte();
            byte y = Verifier.nondetByte();
            assert Stream.of(x, y).mapToInt(n -> n).sum() == x + y;
        }
    }

    // fails
    static class RecordEquals {
        public static void main(String[] args) {
            byte x = Verifier.nondetByte();
            record P(int a, long b) {} assert !new P(x, x + 1).equals(new P(41, 42));
        }
    }

    // holds
    static class RecordHash {
        public static void main(String[] args) {
            byte x = Verifier.nondetByte();
            record P(int a, byte b) {} assert new P(x, x).hashCode() == 32 * x;
        }
    }

    // fails
    static class EnumByOrdinal {
        public static void main(String[] args) {
            byte x = Verifier.nondetByte();
            Thread.State[] all = Thread.State.values();
            Verifier.assume(x >= 0 && x < all.length);
            assert all[x] != Thread.State.WAITING;
        }
    }

    // fails
    static class WrongCast {
        public static void main(String[] args) {
            boolean b = Verifier.nondetBoolean();
            Object o = b ? "text" : (Object) 5;
            try { Integer n = (Integer) o; } catch (ClassCastException e) { assert false; }
        }
    }

    // holds, not shown
    static class SomeObject {
        public static void main(String[] args) {
            Object o = Verifier.nondetObject();
            assert o == null || o != new Object();
        }
    }

    // fails
    static class OptionalEmpty {
        public static void main(String[] args) {
            byte x = Verifier.nondetByte();
            Optional<Byte> o = Optional.of(x).filter(n -> n < 100);
            try { o.get(); } catch (NoSuchElementException e) { assert false; }
        }
    }

    // fails
    static class IteratorEnds {
        public static void main(String[] args) {
            byte x = Verifier.nondetByte();
            Iterator<Integer> i = (x > 3 ? List.of(1) : List.<Integer>of()).iterator();
            try { i.next(); } catch (NoSuchElementException e) { assert x != 3; }
        }
    }
}
