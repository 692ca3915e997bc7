import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.function.*;
import java.util.regex.*;
import java.util.stream.*;
import org.sosy_lab.sv_benchmarks.Verifier;

/** Strings, builders, regular expressions, readers and decoders. */
public class Texts {

    // fails
    static class CharPastValueOf {
        public static void main(String[] args) {
            byte b = Verifier.nondetByte();
            String s = String.valueOf(b);
            try { char c = s.charAt(2); } catch (StringIndexOutOfBoundsException e) { assert false; }
        }
    }

    // holds
    static class SignOfValueOf {
        public static void main(String[] args) {
            byte b = Verifier.nondetByte();
            String s = String.valueOf(b);
            assert (s.charAt(0) == '-') == b < 0;
        }
    }

    // holds
    static class ParseBack {
        public static void main(String[] args) {
            byte b = Verifier.nondetByte();
            assert Integer.parseInt(Integer.toString(b)) == b;
        }
    }

    // fails
    static class EqualsWord {
        public static void main(String[] args) {
            String s = Verifier.nondetString();
            assert !s.equals("hello");
        }
    }

    // fails
    static class StartsWith {
        public static void main(String[] args) {
            String s = Verifier.nondetString();
            if (s.startsWith("ab") && s.length() == 4) assert s.charAt(3) != '!';
        }
    }

    // holds, not shown
    static class TrimIsShort {
        public static void main(String[] args) {
            String s = Verifier.nondetString();
            assert s.trim().length() <= s.length();
        }
    }

    // fails
    static class IndexOf {
        public static void main(String[] args) {
            String s = Verifier.nondetString();
            assert s.indexOf("xy") != 3;
        }
    }

    // fails
    static class EmptyText {
        public static void main(String[] args) {
            String s = Verifier.nondetString();
            assert s.length() > 0;
        }
    }

    // fails
    static class FirstCharOfEmpty {
        public static void main(String[] args) {
            String s = Verifier.nondetString();
            try { s.charAt(0); } catch (IndexOutOfBoundsException e) { assert false; }
        }
    }

    // holds
    static class ConcatLength {
        public static void main(String[] args) {
            char c = Verifier.nondetChar();
            byte b = Verifier.nondetByte();
            String s = "<" + c + b + ">";
            assert s.length() >= 4 && s.length() <= 7;
        }
    }

    // fails
    static class BuilderReverse {
        public static void main(String[] args) {
            char a = Verifier.nondetChar();
            char b = Verifier.nondetChar();
            Verifier.assume(a < 128 && b < 128);
            String s = new StringBuilder().append(a).append(b).reverse().toString();
            assert !s.equals("no");
        }
    }

    // holds
    static class InsertKeepsOrder {
        public static void main(String[] args) {
            byte b = Verifier.nondetByte();
            StringBuilder s = new StringBuilder("[]");
            s.insert(1, b);
            assert s.indexOf("[") == 0 && s.charAt(s.length() - 1) == ']';
        }
    }

    // fails
    static class Matches {
        public static void main(String[] args) {
            char a = Verifier.nondetChar();
            char b = Verifier.nondetChar();
            Verifier.assume(a < 128 && b < 128);
            assert !("" + a + b).matches("[0-9][a-f]");
        }
    }

    // holds
    static class MatchesDigits {
        public static void main(String[] args) {
            char a = Verifier.nondetChar();
            Verifier.assume(a < 128);
            if (("" + a).matches("\\d")) assert a >= '0' && a <= '9';
        }
    }

    // fails
    static class Groups {
        public static void main(String[] args) {
            char a = Verifier.nondetChar();
            Verifier.assume(a < 128);
            Matcher m = Pattern.compile("k=(\\w)").matcher("k=" + a + ";");
            if (m.find()) assert !m.group(1).equals("_");
        }
    }

    // fails
    static class DecodesPercent {
        public static void main(String[] args) {
            char a = Verifier.nondetChar();
            Verifier.assume(a < 128);
            try { String s = URLDecoder.decode("%4" + a, StandardCharsets.UTF_8); assert !s.equals("J"); } catch (IllegalArgumentException e) { }
        }
    }

    // holds
    static class DecodesPlus {
        public static void main(String[] args) {
            char a = Verifier.nondetChar();
            Verifier.assume(a < 128 && a != '%');
            assert URLDecoder.decode("" + a, StandardCharsets.UTF_8).length() == 1;
        }
    }

    // fails
    static class PushedBack {
        public static void main(String[] args) {
            char a = Verifier.nondetChar();
            try { PushbackReader r = new PushbackReader(new StringReader("" + a + "b")); int c = r.read(); if (c == 'a') r.unread('z'); assert r.read() == 'b'; } catch (IOException e) { }
        }
    }

    // holds
    static class PushedBackAgain {
        public static void main(String[] args) {
            char a = Verifier.nondetChar();
            try { PushbackReader r = new PushbackReader(new StringReader("" + a)); int c = r.read(); r.unread(c); assert r.read() == a; } catch (IOException e) { }
        }
    }

    // holds
    static class UpperAndLower {
        public static void main(String[] args) {
            char a = Verifier.nondetChar();
            Verifier.assume(a < 128);
            assert Character.toLowerCase(Character.toUpperCase(a)) == Character.toLowerCase(a);
        }
    }

    // fails
    static class SwitchOnText {
        public static void main(String[] args) {
            char a = Verifier.nondetChar();
            Verifier.assume(a < 128);
            switch ("x" + a) { case "xy": assert false; break; default: }
        }
    }

    // fails
    static class Splits {
        public static void main(String[] args) {
            char a = Verifier.nondetChar();
            Verifier.assume(a < 128);
            assert ("1" + a + "2").split(",").length == 1;
        }
    }

    // fails
    static class Utf8 {
        public static void main(String[] args) {
            char a = Verifier.nondetChar();
            assert ("" + a).getBytes(StandardCharsets.UTF_8).length < 3;
        }
    }

    // fails
    static class Tokens {
        public static void main(String[] args) {
            char a = Verifier.nondetChar();
            Verifier.assume(a < 128);
            assert new StringTokenizer("a" + a + "b", ";").countTokens() == 1;
        }
    }

    // fails
    static class FloatText {
        public static void main(String[] args) {
            byte b = Verifier.nondetByte();
            assert !Float.toString(b / 4f).equals("-2.25");
        }
    }
}
