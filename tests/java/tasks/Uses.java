import java.io.*;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;
import org.sosy_lab.sv_benchmarks.Verifier;

/** Small uses of the library and the language, one in each task, and recursive functions. */
public class Uses {
    static int addition(int m, int n) { if (n == 0) return m; if (n > 0) return addition(m + 1, n - 1); return addition(m - 1, n + 1); }
    static int ackermann(int m, int n) { if (m == 0) return n + 1; if (n == 0) return ackermann(m - 1, 1); return ackermann(m - 1, ackermann(m, n - 1)); }
    static boolean isEven(int n) { if (n == 0) return true; if (n == 1) return false; return isOdd(n - 1); }
    static boolean isOdd(int n) { if (n == 0) return false; if (n == 1) return true; return isEven(n - 1); }
    static int fib(int n) { if (n < 1) return 0; if (n == 1) return 1; return fib(n - 1) + fib(n - 2); }
    static int gcd(int y1, int y2) { if (y1 <= 0 || y2 <= 0) return 0; if (y1 == y2) return y1; if (y1 > y2) return gcd(y1 - y2, y2); return gcd(y1, y2 - y1); }
    static int hanoi(int n) { if (n == 1) return 1; return 2 * hanoi(n - 1) + 1; }
    static int mccarthy(int n) { if (n > 100) return n - 10; return mccarthy(mccarthy(n + 11)); }
    static int mult(int n, int m) { if (m < 0) return mult(n, -m); if (m == 0) return 0; if (m == 1) return 1; return n + mult(n, m - 1); }
    static int isMultiple(int n, int m) { if (m < 0) return isMultiple(n, -m); if (n < 0) return isMultiple(-n, m); if (m == 0) return 0; if (n % m == 0) return 1; return 0; }
    static int isPrime(int n, int m) { if (n <= 1) return 0; if (n == 2) return 1; if (n > 2) { if (m <= 1) return 1; if (isMultiple(n, m) == 0) return 0; return isPrime(n, m - 1); } return 0; }
    static boolean hasSurrogate(String s) { for (char c : s.toCharArray()) if (Character.isSurrogate(c)) return true; return false; }
    interface Shape { int area(); } record Sq(int a) implements Shape { public int area() { return a * a; } } record Re(int a, int b) implements Shape { public int area() { return a * b; } }
    static class A { int f() { return 1; } } static class B extends A { int f() { return 2; } }
    enum Color { RED, GREEN, BLUE; Color next() { return values()[(ordinal() + 1) % values().length]; } }
    static int twice(int x) { return 2 * x; }
    static int I() { return Verifier.nondetInt(); }
    enum D { N, E, S, W }
    @SuppressWarnings("finally") static int f(int x) { try { if (x > 0) throw new RuntimeException(); return 1; } catch (RuntimeException e) { return 2; } finally { return 3; } }
    static class Res implements AutoCloseable { static String log = ""; final int n; Res(int n) { this.n = n; } public void close() { log += n; } }
    static int deep(int n) { return n <= 0 ? 0 : 1 + deep(n - 1); }
    interface P { default int v() { return 1; } } interface Q { default int v() { return 2; } } static class PQ implements P, Q { public int v() { return P.super.v() + Q.super.v(); } }
    static class Init { static int n; static { n = 41; } static int get() { return ++n; } }
    sealed interface E permits Num, Add, Mul {} record Num(int n) implements E {} record Add(E a, E b) implements E {} record Mul(E a, E b) implements E {}
    static int eval(E e) { if (e instanceof Num n) return n.n(); if (e instanceof Add a) return eval(a.a()) + eval(a.b()); Mul m = (Mul) e; return eval(m.a()) * eval(m.b()); }
    static <T extends Comparable<T>> T max(T a, T b) { return a.compareTo(b) > 0 ? a : b; }
    static int va(int... x) { int s = 0; for (int y : x) s += y; return s; }

    // fails
    static class UnsatAdditionTask {
        public static void main(String[] args) throws Exception {
            int m = Verifier.nondetInt(); if (m < 0 || m > 2147483647) return; int n = Verifier.nondetInt(); if (n < 0 || n > 2147483647) return; int r = addition(m, n); if (m < 100 || n < 100 || r >= 200) return; assert false;
        }
    }

    // fails
    static class UnsatAckermannTask {
        public static void main(String[] args) throws Exception {
            int m = Verifier.nondetInt(); if (m < 0 || m > 3) return; int n = Verifier.nondetInt(); if (n < 0 || n > 23) return; int r = ackermann(m, n); if (m < 2 || r >= 4) { if (r < 0) return; assert r != 13; }
        }
    }

    // holds
    static class SatEvenOddTask {
        public static void main(String[] args) throws Exception {
            int n = Verifier.nondetInt(); if (n < 0 || n > 1000) return; boolean r = isEven(n); boolean mod = n % 2 == 0; assert r == mod;
        }
    }

    // fails
    static class UnsatEvenOddTask {
        public static void main(String[] args) throws Exception {
            int n = Verifier.nondetInt(); if (n < 0) return; boolean r = isEven(n); boolean mod = n % 2 == 0; assert r != mod;
        }
    }

    // fails
    static class UnsatFibTask {
        public static void main(String[] args) throws Exception {
            int x = Verifier.nondetInt(); if (x > 46 || x == -2147483648) return; int r = fib(x); assert r != 13;
        }
    }

    // fails
    static class UnsatGcdTask {
        public static void main(String[] args) throws Exception {
            int m = Verifier.nondetInt(); if (m <= 0 || m > 2147483647) return; int n = Verifier.nondetInt(); if (n <= 0) return; int z = gcd(m, n); if (z < 1 && m > 0 && n > 0) assert false; if (m > 1 && n > 1 && m != n) assert z < 2;
        }
    }

    // holds
    static class SatHanoiTask {
        public static void main(String[] args) throws Exception {
            int n = Verifier.nondetInt(); if (n < 1 || n > 31) return; int r = hanoi(n); assert r >= n;
        }
    }

    // holds
    static class SatMccarthyTask {
        public static void main(String[] args) throws Exception {
            int n = Verifier.nondetInt(); if (n < -1000 || n > 10000000) return; int r = mccarthy(n); if (r != 91 && n <= 101) assert false;
        }
    }

    // fails
    static class UnsatMccarthyTask {
        public static void main(String[] args) throws Exception {
            int n = Verifier.nondetInt(); int r = mccarthy(n); if (n >= 0 && n < 1000) assert r == 91;
        }
    }

    // fails
    static class UnsatMultTask {
        public static void main(String[] args) throws Exception {
            int m = Verifier.nondetInt(); if (m < 0 || m > 46340) return; int n = Verifier.nondetInt(); if (n < 0 || n > 46340) return; int r = mult(m, n); assert r == m * n;
        }
    }

    // holds
    static class StringBuilderReverseTask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetString(); if (s.length() > 3) return; assert new StringBuilder(s).reverse().reverse().toString().equals(s) || hasSurrogate(s);
        }
    }

    // fails
    static class TokenizerTask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetString(); if (s.length() != 5) return; StringTokenizer t = new StringTokenizer(s, ","); int n = 0; while (t.hasMoreTokens()) { t.nextToken(); n++; } assert n != 3;
        }
    }

    // fails
    static class FormatTask {
        public static void main(String[] args) throws Exception {
            int x = Verifier.nondetInt(); assert !String.format("%03d", x).equals("042");
        }
    }

    // fails
    static class ParseDTask {
        public static void main(String[] args) throws Exception {
            double d = Verifier.nondetDouble(); assert !(d * 2 == 7.5);
        }
    }

    // holds
    static class MathAbsTask {
        public static void main(String[] args) throws Exception {
            int x = Verifier.nondetInt(); if (x == Integer.MIN_VALUE) return; assert Math.abs(x) >= 0;
        }
    }

    // fails
    static class MathAbs2Task {
        public static void main(String[] args) throws Exception {
            int x = Verifier.nondetInt(); assert Math.abs(x) >= 0;
        }
    }

    // fails
    static class BitsTask {
        public static void main(String[] args) throws Exception {
            long x = Verifier.nondetLong(); assert Long.bitCount(x) != 63;
        }
    }

    // fails
    static class RounddTask {
        public static void main(String[] args) throws Exception {
            double x = Verifier.nondetDouble(); assert Math.round(x) != 1234567L;
        }
    }

    // holds
    static class RoundfTask {
        public static void main(String[] args) throws Exception {
            float x = Verifier.nondetFloat(); if (!(x >= 0 && x <= 10)) return; assert Math.round(x) <= 10;
        }
    }

    // fails
    static class SwTask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetString(); switch (s) { case "alpha": assert false; case "beta": return; default: }
        }
    }

    // fails
    static class CmpTask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetString(), t = Verifier.nondetString(); if (s.length() == 2 && t.length() == 3 && s.compareTo(t) == 5) assert false;
        }
    }

    // fails
    static class RecTask {
        public static void main(String[] args) throws Exception {
            int k = Verifier.nondetInt(); Shape s = k > 0 ? new Sq(k) : new Re(k, 3); if (s instanceof Re r && r.b() == 3) assert s.area() != -33; assert !s.equals(new Sq(17)) || true;
        }
    }

    // holds
    static class MapTask {
        public static void main(String[] args) throws Exception {
            int k = Verifier.nondetInt(), v = Verifier.nondetInt(); Map<Integer, Integer> m = new HashMap<>(); m.put(k, v); assert m.get(k) == v;
        }
    }

    // holds
    static class TreeTask {
        public static void main(String[] args) throws Exception {
            int a = Verifier.nondetInt(), b = Verifier.nondetInt(), c = Verifier.nondetInt(); TreeSet<Integer> t = new TreeSet<>(List.of()); t.add(a); t.add(b); t.add(c); assert t.first() <= t.last();
        }
    }

    // holds
    static class SortArrTask {
        public static void main(String[] args) throws Exception {
            int[] a = new int[4]; for (int i = 0; i < 4; i++) a[i] = Verifier.nondetInt(); Arrays.sort(a); for (int i = 1; i < 4; i++) assert a[i - 1] <= a[i];
        }
    }

    // holds
    static class LambdaSortTask {
        public static void main(String[] args) throws Exception {
            Integer[] a = new Integer[3]; for (int i = 0; i < 3; i++) a[i] = Verifier.nondetInt(); Arrays.sort(a, (x, y) -> Integer.compare(y, x)); assert a[0] >= a[1] && a[1] >= a[2];
        }
    }

    // fails
    static class CharsTask {
        public static void main(String[] args) throws Exception {
            char c = Verifier.nondetChar(); assert !Character.isDigit(c) || c <= '9';
        }
    }

    // fails
    static class UpperTask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetString(); assert !s.toUpperCase().equals("\u00C9A");
        }
    }

    // fails
    static class OobTask {
        public static void main(String[] args) throws Exception {
            int i = Verifier.nondetInt(); int[] a = new int[10]; try { a[i] = 1; } catch (ArrayIndexOutOfBoundsException e) { assert i < 0; }
        }
    }

    // holds
    static class DivzTask {
        public static void main(String[] args) throws Exception {
            int i = Verifier.nondetInt(); try { int k = 10 / i; assert i != 0; } catch (ArithmeticException e) { assert i == 0; }
        }
    }

    // fails
    static class NegTask {
        public static void main(String[] args) throws Exception {
            int i = Verifier.nondetInt(); if (i > 100) return; try { int[] a = new int[i]; assert a.length < 50; } catch (NegativeArraySizeException e) { }
        }
    }

    // holds
    static class CastTask {
        public static void main(String[] args) throws Exception {
            Object o = Verifier.nondetBoolean() ? "a" : Integer.valueOf(3); try { String s = (String) o; assert s.equals("a"); } catch (ClassCastException e) { assert o instanceof Integer; }
        }
    }

    // holds
    static class VirtTask {
        public static void main(String[] args) throws Exception {
            A a = Verifier.nondetBoolean() ? new A() : new B(); assert a.f() == 1 || a instanceof B;
        }
    }

    // fails
    static class RndTask {
        public static void main(String[] args) throws Exception {
            Random r = new Random(Verifier.nondetInt()); assert r.nextInt(100) != 42;
        }
    }

    // holds
    static class BigintTask {
        public static void main(String[] args) throws Exception {
            java.math.BigInteger b = java.math.BigInteger.valueOf(Verifier.nondetLong()); assert !b.multiply(b).equals(new java.math.BigInteger("152415787532388367501905199875019052100"));
        }
    }

    // fails
    static class BigdecTask {
        public static void main(String[] args) throws Exception {
            java.math.BigDecimal b = new java.math.BigDecimal(Verifier.nondetInt()); assert !b.divide(new java.math.BigDecimal(8)).toString().equals("15.625");
        }
    }

    // fails
    static class DateTask {
        public static void main(String[] args) throws Exception {
            long d = Verifier.nondetLong(); if (d < 0 || d > 20000) return; java.time.LocalDate l = java.time.LocalDate.ofEpochDay(d); assert !(l.getMonthValue() == 2 && l.getDayOfMonth() == 29);
        }
    }

    // fails
    static class SplitTask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetString(); if (s.length() > 6) return; String[] p = s.split(";"); assert !(p.length == 3 && p[1].equals("ab"));
        }
    }

    // fails
    static class LongParseTask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetString(); try { assert Long.parseLong(s) != -98765L; } catch (NumberFormatException e) { }
        }
    }

    // fails
    static class StreamSumTask {
        public static void main(String[] args) throws Exception {
            int[] a = {Verifier.nondetInt(), Verifier.nondetInt(), 5}; if (a[0] < 0 || a[1] < 0) return; assert Arrays.stream(a).filter(x -> x % 2 == 1).map(x -> x * 3).sum() != 333;
        }
    }

    // holds
    static class InternTask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetBoolean() ? "x" : "y"; assert s.intern() == s;
        }
    }

    // fails
    static class EnuTask {
        public static void main(String[] args) throws Exception {
            int i = Verifier.nondetInt(); if (i < 0 || i > 2) return; assert Color.values()[i].next() != Color.RED;
        }
    }

    // fails
    static class ValueOfETask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetString(); try { assert Color.valueOf(s) != Color.GREEN; } catch (IllegalArgumentException e) { }
        }
    }

    // fails
    static class DequeTask {
        public static void main(String[] args) throws Exception {
            ArrayDeque<Integer> d = new ArrayDeque<>(); for (int i = 0; i < 4; i++) { if (Verifier.nondetBoolean()) d.push(i); else d.addLast(i); } assert !(d.peekFirst() == 1 && d.peekLast() == 3);
        }
    }

    // fails
    static class PqTask {
        public static void main(String[] args) throws Exception {
            PriorityQueue<Integer> q = new PriorityQueue<>(); for (int i = 0; i < 3; i++) q.add(Verifier.nondetInt()); int a = q.poll(), b = q.poll(); assert a < b;
        }
    }

    // fails
    static class HashTask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetString(); if (s.length() == 3) assert s.hashCode() != 96354;
        }
    }

    // fails
    static class ScannerTask {
        public static void main(String[] args) throws Exception {
            Scanner sc = new Scanner(Verifier.nondetString()); if (sc.hasNextInt()) assert sc.nextInt() != 57;
        }
    }

    // fails
    static class OptionalTask {
        public static void main(String[] args) throws Exception {
            Optional<Integer> o = Optional.of(Verifier.nondetInt()).filter(x -> x > 1000).map(x -> x / 7); assert o.isEmpty() || o.get() != 12345;
        }
    }

    // fails
    static class JoinerTask {
        public static void main(String[] args) throws Exception {
            StringJoiner j = new StringJoiner("-", "<", ">"); j.add(Verifier.nondetString()).add("b"); assert !j.toString().equals("<q-b>");
        }
    }

    // fails
    static class CharAtETask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetString(); try { if (s.charAt(4) == 'z') assert false; } catch (StringIndexOutOfBoundsException e) { }
        }
    }

    // fails
    static class B64Task {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetString(); if (s.length() != 4) return; try { byte[] b = Base64.getDecoder().decode(s); assert !(b.length == 3 && b[0] == 'H' && b[1] == 'i' && b[2] == '!'); } catch (IllegalArgumentException e) { }
        }
    }

    // fails
    static class HexTask {
        public static void main(String[] args) throws Exception {
            int x = Verifier.nondetInt(); assert !Integer.toHexString(x).equals("cafe");
        }
    }

    // fails
    static class ParTask {
        public static void main(String[] args) throws Exception {
            int x = Verifier.nondetInt(); int[] r = new int[1]; Thread t = new Thread(() -> r[0] = x * 3); t.start(); try { t.join(); } catch (InterruptedException e) { } assert r[0] != 333;
        }
    }

    // fails
    static class ReflTask {
        public static void main(String[] args) throws Exception {
            int x = Verifier.nondetInt(); try { Object r = Uses.class.getDeclaredMethod("twice", int.class).invoke(null, x); assert (Integer) r != 84; } catch (ReflectiveOperationException e) { }
        }
    }

    // fails
    static class PowsTask {
        public static void main(String[] args) throws Exception {
            double d = Verifier.nondetDouble(); assert Math.pow(d, 2) != 144.0;
        }
    }

    // fails
    static class SqrtsTask {
        public static void main(String[] args) throws Exception {
            double d = Verifier.nondetDouble(); assert Math.sqrt(d) != 12.5;
        }
    }

    // holds
    static class NarrowTask {
        public static void main(String[] args) throws Exception {
            byte b = (byte) I(); b += 300; int x = b; assert x >= -128 && x <= 127;
        }
    }

    // fails
    static class Narrow2Task {
        public static void main(String[] args) throws Exception {
            int i = I(); byte b = (byte) i; b *= 3; assert b != 99 || i < 1000;
        }
    }

    // fails
    static class ShiftTask {
        public static void main(String[] args) throws Exception {
            int s = I(); assert (1 << s) != 1 || s == 0;
        }
    }

    // holds
    static class FloorModTask {
        public static void main(String[] args) throws Exception {
            int a = I(); assert Math.floorMod(a, 7) >= 0 && Math.floorMod(a, 7) < 7;
        }
    }

    // fails
    static class ExactTask {
        public static void main(String[] args) throws Exception {
            int a = I(); try { int b = Math.multiplyExact(a, 3); assert b != 2147483646; } catch (ArithmeticException e) { }
        }
    }

    // holds
    static class NanTask {
        public static void main(String[] args) throws Exception {
            double d = Verifier.nondetDouble(); assert d == d || Double.isNaN(d);
        }
    }

    // fails
    static class ZeroTask {
        public static void main(String[] args) throws Exception {
            double d = Verifier.nondetDouble(); if (d == 0.0) assert Double.compare(d, 0.0) == 0;
        }
    }

    // fails
    static class CastdTask {
        public static void main(String[] args) throws Exception {
            double d = Verifier.nondetDouble(); assert (int) d != Integer.MAX_VALUE || d < 1e12;
        }
    }

    // holds
    static class Castd2Task {
        public static void main(String[] args) throws Exception {
            double d = Verifier.nondetDouble(); int i = (int) d; if (d != d) assert i == 0;
        }
    }

    // fails
    static class UnsigTask {
        public static void main(String[] args) throws Exception {
            int a = I(); assert Integer.compareUnsigned(a, 5) < 0 || a > 5;
        }
    }

    // fails
    static class RevTask {
        public static void main(String[] args) throws Exception {
            int a = I(); assert Integer.reverse(a) != 0x0000F00F;
        }
    }

    // holds
    static class HibTask {
        public static void main(String[] args) throws Exception {
            int a = I(); if (a > 0) assert Integer.highestOneBit(a) <= a;
        }
    }

    // fails
    static class BinTask {
        public static void main(String[] args) throws Exception {
            int a = I(); assert !Integer.toBinaryString(a).equals("1011101");
        }
    }

    // fails
    static class ParseRTask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetString(); try { assert Integer.parseInt(s, 16) != 0xBEEF; } catch (NumberFormatException e) { }
        }
    }

    // fails
    static class SbopsTask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetString(); if (s.length() < 2) return; StringBuilder b = new StringBuilder(s); b.setCharAt(0, 'x'); b.insert(1, "yy").deleteCharAt(b.length() - 1); assert !b.toString().equals("xyyq");
        }
    }

    // fails
    static class StripTask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetString(); assert !(s.strip().equals("ok") && s.length() == 4);
        }
    }

    // fails
    static class BlankTask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetString(); assert !(s.isBlank() && s.length() == 2 && s.charAt(0) != ' ');
        }
    }

    // fails
    static class RepTask {
        public static void main(String[] args) throws Exception {
            int n = I(); if (n < 0 || n > 6) return; assert !"ab".repeat(n).equals("ababab");
        }
    }

    // fails
    static class ReplaceTask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetString(); assert !(s.replace("ab", "c").equals("cxc"));
        }
    }

    // fails
    static class RegexTask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetString(); java.util.regex.Matcher m = java.util.regex.Pattern.compile("([a-c]+)-(\\d)").matcher(s); if (m.matches()) assert !(m.group(1).equals("ba") && m.group(2).equals("7"));
        }
    }

    // fails
    static class LinesTask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetString(); if (s.length() > 5) return; assert s.lines().count() != 3;
        }
    }

    // fails
    static class CharsSTask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetString(); if (s.length() > 4) return; assert s.chars().filter(Character::isDigit).count() != 3;
        }
    }

    // fails
    static class NumTask {
        public static void main(String[] args) throws Exception {
            char c = Verifier.nondetChar(); assert Character.getNumericValue(c) != 35;
        }
    }

    // fails
    static class TitleTask {
        public static void main(String[] args) throws Exception {
            char c = Verifier.nondetChar(); assert !(Character.isUpperCase(c) && c > 1000);
        }
    }

    // fails
    static class EnumMapTask {
        public static void main(String[] args) throws Exception {
            int i = I(); if (i < 0 || i > 3) return; EnumMap<D, Integer> m = new EnumMap<>(D.class); m.put(D.values()[i], 5); assert m.get(D.S) == null;
        }
    }

    // fails
    static class EnumSetTask {
        public static void main(String[] args) throws Exception {
            EnumSet<D> s = EnumSet.noneOf(D.class); for (D d : D.values()) if (Verifier.nondetBoolean()) s.add(d); assert s.size() != 3 || s.contains(D.W);
        }
    }

    // fails
    static class EnSwTask {
        public static void main(String[] args) throws Exception {
            D d = D.values()[I() & 3]; int r = switch (d) { case N, S -> 1; case E -> 2; default -> 3; }; assert r != 3;
        }
    }

    // fails
    static class LruTask {
        public static void main(String[] args) throws Exception {
            LinkedHashMap<Integer, Integer> m = new LinkedHashMap<>(4, .75f, true) { protected boolean removeEldestEntry(Map.Entry<Integer, Integer> e) { return size() > 2; } }; m.put(1, 1); m.put(2, 2); if (Verifier.nondetBoolean()) m.get(1); m.put(3, 3); assert m.containsKey(2);
        }
    }

    // fails
    static class TreeMapTask {
        public static void main(String[] args) throws Exception {
            TreeMap<Integer, String> m = new TreeMap<>(); m.put(10, "a"); m.put(I(), "b"); Integer f = m.floorKey(5); assert f == null || f != 3;
        }
    }

    // holds
    static class CmeTask {
        public static void main(String[] args) throws Exception {
            List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); int k = I(); try { for (Integer x : l) if (x == k) l.remove(x); assert k != 1 && k != 3; } catch (ConcurrentModificationException e) { assert k == 1 || k == 3; }
        }
    }

    // fails
    static class BitsetTask {
        public static void main(String[] args) throws Exception {
            BitSet b = new BitSet(); int i = I(); if (i < 0 || i > 200) return; b.set(i); b.set(3, 8); assert b.cardinality() == 6;
        }
    }

    // fails
    static class GroupTask {
        public static void main(String[] args) throws Exception {
            List<Integer> l = List.of(I(), I(), I()); Map<Boolean, Long> g = l.stream().collect(Collectors.partitioningBy(x -> x > 10, Collectors.counting())); assert g.get(true) != 2;
        }
    }

    // fails
    static class ReduceTask {
        public static void main(String[] args) throws Exception {
            int n = I(); if (n < 0 || n > 8) return; assert IntStream.rangeClosed(1, n).reduce(1, (a, b) -> a * b) != 5040;
        }
    }

    // fails
    static class SortedTask {
        public static void main(String[] args) throws Exception {
            String s = Stream.of("b", "a", Verifier.nondetString()).sorted().collect(Collectors.joining()); assert !s.equals("aab");
        }
    }

    // holds
    static class FinTask {
        public static void main(String[] args) throws Exception {
            int r = f(I()); assert r == 3;
        }
    }

    // holds
    static class TwrTask {
        public static void main(String[] args) throws Exception {
            Res.log = ""; int x = I(); try (Res a = new Res(1); Res b = new Res(2)) { if (x == 5) throw new IllegalStateException(); } catch (IllegalStateException e) { Res.log += "c"; } assert Res.log.equals(x == 5 ? "21c" : "21");
        }
    }

    // holds
    static class SuppTask {
        public static void main(String[] args) throws Exception {
            int x = I(); try { try (AutoCloseable c = () -> { throw new IOException("c"); }) { if (x > 0) throw new RuntimeException("b"); } } catch (Exception e) { assert x > 0 ? e.getSuppressed().length == 1 : e instanceof IOException; }
        }
    }

    // fails
    static class SoeTask {
        public static void main(String[] args) throws Exception {
            int x = I(); try { deep(x); } catch (StackOverflowError e) { assert false; }
        }
    }

    // holds
    static class DiamondTask {
        public static void main(String[] args) throws Exception {
            assert new PQ().v() == 3 && I() * 0 == 0;
        }
    }

    // holds
    static class ClinitTask {
        public static void main(String[] args) throws Exception {
            int x = I(); if (x > 3) { assert Init.get() == 42; }
        }
    }

    // fails
    static class Arr2Task {
        public static void main(String[] args) throws Exception {
            int[][] a = new int[3][4]; int i = I(), j = I(); if (i < 0 || j < 0) return; try { a[i][j] = 7; } catch (ArrayIndexOutOfBoundsException e) { return; } assert a[2][3] != 7;
        }
    }

    // holds
    static class CloneATask {
        public static void main(String[] args) throws Exception {
            int[] a = {1, I(), 3}; int[] b = a.clone(); b[1]++; assert a[1] == b[1] - 1;
        }
    }

    // fails
    static class OverlapTask {
        public static void main(String[] args) throws Exception {
            int[] a = {1, 2, 3, I(), 5}; System.arraycopy(a, 1, a, 0, 4); assert a[2] != 77;
        }
    }

    // fails
    static class BsearchTask {
        public static void main(String[] args) throws Exception {
            int[] a = {2, 4, 8, 16, 32}; assert Arrays.binarySearch(a, I()) != 3;
        }
    }

    // fails
    static class DeepEqTask {
        public static void main(String[] args) throws Exception {
            Object[] a = {1, new int[] {I()}}, b = {1, new int[] {9}}; assert !Arrays.deepEquals(a, b);
        }
    }

    // fails
    static class ListHashTask {
        public static void main(String[] args) throws Exception {
            List<Integer> l = Arrays.asList(I(), 2); assert l.hashCode() != 1024;
        }
    }

    // fails
    static class CacheTask {
        public static void main(String[] args) throws Exception {
            Integer a = I(), b = (int) a; assert a == b;
        }
    }

    // holds
    static class Cache2Task {
        public static void main(String[] args) throws Exception {
            int x = I(); if (x < -128 || x > 127) return; Integer a = x, b = x; assert a == b;
        }
    }

    // fails
    static class DataIOTask {
        public static void main(String[] args) throws Exception {
            ByteArrayOutputStream o = new ByteArrayOutputStream(); new DataOutputStream(o).writeInt(I()); byte[] b = o.toByteArray(); assert !(b[0] == 1 && b[1] == 2 && b[2] == 3 && b[3] == 4);
        }
    }

    // fails
    static class ReaderTask {
        public static void main(String[] args) throws Exception {
            BufferedReader r = new BufferedReader(new StringReader(Verifier.nondetString())); String a = r.readLine(), b = r.readLine(); assert !("a".equals(a) && "b".equals(b));
        }
    }

    // fails
    static class PushTask {
        public static void main(String[] args) throws Exception {
            PushbackReader r = new PushbackReader(new StringReader(Verifier.nondetString())); int c = r.read(); if (c == 'q') { r.unread('z'); assert r.read() != 'z'; }
        }
    }

    // fails
    static class UrlTask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetString(); try { assert !java.net.URLDecoder.decode(s, "UTF-8").equals("a b"); } catch (IllegalArgumentException e) { }
        }
    }

    // fails
    static class EncTask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetString(); assert !java.net.URLEncoder.encode(s, "UTF-8").equals("%26x");
        }
    }

    // fails
    static class DurTask {
        public static void main(String[] args) throws Exception {
            long s = Verifier.nondetLong(); if (s < 0 || s > 100000) return; assert !java.time.Duration.ofSeconds(s).toString().equals("PT1H1M1S");
        }
    }

    // fails
    static class FloatsTask {
        public static void main(String[] args) throws Exception {
            float f = Verifier.nondetFloat(); assert !Float.toString(f).equals("1.5");
        }
    }

    // fails
    static class BigModTask {
        public static void main(String[] args) throws Exception {
            java.math.BigInteger b = java.math.BigInteger.valueOf(I()); try { assert b.modInverse(java.math.BigInteger.valueOf(97)).intValue() != 13; } catch (ArithmeticException e) { }
        }
    }

    // fails
    static class VecTask {
        public static void main(String[] args) throws Exception {
            Vector<Integer> v = new Vector<>(); Hashtable<Integer, Integer> h = new Hashtable<>(); v.add(I()); h.put(v.get(0), 4); assert h.get(1234) == null;
        }
    }

    // fails
    static class StackTask {
        public static void main(String[] args) throws Exception {
            Stack<Character> s = new Stack<>(); String t = Verifier.nondetString(); for (char c : t.toCharArray()) { if (c == '(') s.push(c); else if (c == ')') { if (s.isEmpty()) return; s.pop(); } else return; } assert !(s.isEmpty() && t.length() == 6);
        }
    }

    // fails
    static class ExprsTask {
        public static void main(String[] args) throws Exception {
            E e = new Add(new Mul(new Num(I()), new Num(3)), new Num(4)); assert eval(e) != 100;
        }
    }

    // fails
    static class RecEqTask {
        public static void main(String[] args) throws Exception {
            Num a = new Num(I()); assert !a.equals(new Num(77));
        }
    }

    // fails
    static class RecHashTask {
        public static void main(String[] args) throws Exception {
            assert new Num(I()).hashCode() != 4242;
        }
    }

    // fails
    static class TextTask {
        public static void main(String[] args) throws Exception {
            String t = "a\n  b" + Verifier.nondetChar(); assert !t.endsWith("bz");
        }
    }

    // holds
    static class StrTask {
        public static void main(String[] args) throws Exception {
            String s = "a" + I(); assert s.startsWith("a") && s.length() >= 2;
        }
    }

    // fails
    static class ConcatTask {
        public static void main(String[] args) throws Exception {
            char c = Verifier.nondetChar(); String s = ""; s += c; s += 1; assert !s.equals("k1");
        }
    }

    // fails
    static class NpeTask {
        public static void main(String[] args) throws Exception {
            String s = Verifier.nondetBoolean() ? null : "x"; try { s.length(); } catch (NullPointerException e) { assert false; }
        }
    }

    // holds
    static class ReqTask {
        public static void main(String[] args) throws Exception {
            Integer x = Verifier.nondetBoolean() ? null : Integer.valueOf(4); try { java.util.Objects.requireNonNull(x); assert x == 4; } catch (NullPointerException e) { assert x == null; }
        }
    }

    // fails
    static class IterTask {
        public static void main(String[] args) throws Exception {
            Iterator<Integer> it = new Iterator<>() { int k = 0; final int n = I(); public boolean hasNext() { return k < n && k < 5; } public Integer next() { return k++; } }; int s = 0; while (it.hasNext()) s += it.next(); assert s != 6;
        }
    }

    // fails
    static class ComposeTask {
        public static void main(String[] args) throws Exception {
            Function<Integer, Integer> f = x -> x + 3; int r = f.compose((Integer x) -> x * 2).andThen(x -> x - 1).apply(I()); assert r != 42;
        }
    }

    // fails
    static class MsgTask {
        public static void main(String[] args) throws Exception {
            assert !java.text.MessageFormat.format("{0}-{1}", "a", Verifier.nondetString()).equals("a-b");
        }
    }

    // fails
    static class FmtXTask {
        public static void main(String[] args) throws Exception {
            assert !String.format("%x|%5d", 255, I()).equals("ff|   12");
        }
    }

    // holds
    static class LngTask {
        public static void main(String[] args) throws Exception {
            long a = Verifier.nondetLong(); assert (a >>> 63) == (a < 0 ? 1 : 0);
        }
    }

    // fails
    static class LdivTask {
        public static void main(String[] args) throws Exception {
            long a = Verifier.nondetLong(); if (a == 0) return; assert 1000000007L / a != 31;
        }
    }

    // fails
    static class RemTask {
        public static void main(String[] args) throws Exception {
            int a = I(); assert a % 10 != -7;
        }
    }

    // fails
    static class Sb2Task {
        public static void main(String[] args) throws Exception {
            StringBuffer b = new StringBuffer(); for (int i = 0; i < 3; i++) b.append(Verifier.nondetBoolean() ? 'a' : 'b'); assert !b.reverse().toString().equals("abb");
        }
    }

    // fails
    static class WrapTask {
        public static void main(String[] args) throws Exception {
            Object o = I() > 5 ? Long.valueOf(3) : Double.valueOf(2.5); assert o instanceof Long;
        }
    }

    // fails
    static class VarargsTask {
        public static void main(String[] args) throws Exception {
            assert va(I(), I(), 1) != 12;
        }
    }
}
