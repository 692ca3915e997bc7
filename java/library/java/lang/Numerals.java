package java.lang;

import polypath.RT;

/**
 * Numbers that stand in texts of input. The JDK asks for the value of each digit, and at each whether the number gets too large. Here code decides the
 * <em>shape</em> of a text only: which characters are digits, where the point is, where the number ends. What a text of one shape means is one
 * expression of its digits: of integers a sum, of floats an operation of its own ({@link RT#decimal}).
 *
 * The weaver has the JDK's methods ask here first. They go on themselves where the answer is null: with texts that do not depend on input,
 * numbers of very many digits, hexadecimal floats, and what is no number by its first letter (`NaN`).
 */
final class Numerals {
    /** So many digits fit, whatever they are. */
    private static final int INT_DIGITS = 9;
    private static final int LONG_DIGITS = 18;
    /** With more of them, and a large exponent, the JDK's floats differ from what is written. */
    private static final int FLOAT_DIGITS = 17;
    /** Digits of an exponent that fit. */
    private static final int POWER_DIGITS = 8;

    private final String text;
    /** Where the digits begin and end. */
    private int from;
    private int to;
    private boolean isNegative;

    /** The number, as what was asked for. */
    int ofInt;
    long ofLong;
    float ofFloat;
    double ofDouble;

    private Numerals(String text) {
        this.text = text;
    }

    private static boolean isAsked(String s) {
        return s != null && RT.depends(s);
    }

    /** One question, where a comparison with both ends would be two. */
    private static boolean isDigit(char c) {
        return (char) (c - '0') < 10;
    }

    private static NumberFormatException malformed(String s) {
        return new NumberFormatException("For input string: \"" + s + "\"");
    }

    // ------------------------------------------------------------------ integers

    static Numerals ofInt(String s, int radix) {
        Numerals n = integer(s, radix);
        if (n == null) return null;
        if (n.to - n.from <= INT_DIGITS) {
            n.ofInt = n.sum();
        } else {
            long all = n.longSum();
            n.ofInt = (int) all;
            if (all != n.ofInt) throw malformed(s);
        }
        return n;
    }

    static Numerals ofLong(String s, int radix) {
        Numerals n = integer(s, radix);
        if (n != null) n.ofLong = n.longSum();
        return n;
    }

    private static Numerals integer(String s, int radix) {
        if (RT.depends(radix) != 0 || radix != 10 || !isAsked(s)) return null;
        Numerals n = new Numerals(s);
        return n.hasIntegerShape() ? n : null;
    }

    /** Whether the text is a sign and digits, as far as it is up to us. */
    private boolean hasIntegerShape() {
        int length = text.length();
        if (length > 0) sign();
        for (to = from; to < length; to++) {
            char c = text.charAt(to);
            if (!isDigit(c) && digit(c) < 0) throw malformed(text);
        }
        if (to == from) throw malformed(text);
        return to - from <= LONG_DIGITS;
    }

    private void sign() {
        char c = text.charAt(0);
        if (isDigit(c)) return;
        isNegative = c == '-';
        if (isNegative || c == '+') from = 1;
    }

    /** Other scripts have digits, too. */
    private static int digit(char c) {
        if (isDigit(c)) return c - '0';
        return c < 256 ? -1 : Character.digit(c, 10);
    }

    private int sum() {
        int all = 0;
        for (int i = from; i < to; i++) all = 10 * all + digit(text.charAt(i));
        return isNegative ? -all : all;
    }

    private long longSum() {
        long all = 0;
        for (int i = from; i < to; i++) all = 10 * all + digit(text.charAt(i));
        return isNegative ? -all : all;
    }

    // ------------------------------------------------------------------ floats

    /** The digits as an integer, without the point, how many there are, and the power of ten that it is multiplied by. */
    private long digits;
    private int count;
    private int exponent;

    static Numerals ofDouble(String s) {
        if (!isAsked(s)) return null;
        Numerals n = new Numerals(s.trim());
        if (!n.hasFloatShape()) return null;
        double x = n.isBeyond(308, -343) ? n.beyond() : n.asDouble();
        n.ofDouble = n.isNegative ? -x : x;
        return n;
    }

    static Numerals ofFloat(String s) {
        if (!isAsked(s)) return null;
        Numerals n = new Numerals(s.trim());
        if (!n.hasFloatShape()) return null;
        float x = n.isBeyond(38, -64) ? n.beyond() : n.asFloat();
        n.ofFloat = n.isNegative ? -x : x;
        return n;
    }

    /** Whether the text is a decimal number. One that is none by its shape is an error, in the JDK's words. */
    private boolean hasFloatShape() {
        int length = text.length();
        if (length == 0) return false;
        sign();
        if (from == length) throw malformed(text);
        if (!text.isLatin1()) {
            // Some character is no part of a float. Only a second point before it is another error.
            if (!readFraction(length)) return false;
            throw malformed(text);
        }
        char c = text.charAt(from);
        if (isDigit(c)) {
            // One question for both characters that a hexadecimal number begins with.
            if (from + 1 < length && (c ^ '0' | (text.charAt(from + 1) | 32) ^ 'x') == 0) return false;
        } else if (c == 'N' || c == 'I') {
            return false;
        }
        if (!readFraction(length)) return false;
        if (to < length && (text.charAt(to) | 32) == 'e' && !readPower(length)) return false;
        // One letter may follow, which says what the number is: d, D, f or F.
        if (to < length && (to != length - 1 || (text.charAt(to) | 34) != 'f')) throw malformed(text);
        return true;
    }

    /** Reads digits and a point. Whether we know what so many digits are. */
    private boolean readFraction(int length) {
        int point = -1;
        for (to = from; to < length; to++) {
            char c = text.charAt(to);
            if (isDigit(c)) {
                if (count == FLOAT_DIGITS) return false;
                digits = 10 * digits + (c - '0');
                count++;
            } else if (c == '.') {
                if (point >= 0) throw new NumberFormatException("multiple points");
                point = count;
            } else {
                break;
            }
        }
        if (count == 0) throw malformed(text);
        exponent = point < 0 ? 0 : point - count;
        return true;
    }

    /** Reads the exponent behind its letter, likewise. */
    private boolean readPower(int length) {
        if (++to == length) throw malformed(text);
        char c = text.charAt(to);
        boolean isBelow = false;
        if (!isDigit(c)) {
            isBelow = c == '-';
            if (!isBelow && c != '+') throw malformed(text);
            to++;
        }
        int first = to;
        int power = 0;
        for (; to < length; to++) {
            c = text.charAt(to);
            if (!isDigit(c)) break;
            if (to - first == POWER_DIGITS) return false;
            power = 10 * power + (c - '0');
        }
        if (to == first) throw malformed(text);
        exponent += isBelow ? -power : power;
        return true;
    }

    /** Whether the number is 0 or outside of the type's range, by its exponent alone. */
    private boolean isBeyond(int most, int least) {
        return exponent > most || exponent < least;
    }

    private float beyond() {
        return exponent < 0 || digits == 0 ? 0 : Float.POSITIVE_INFINITY;
    }

    private double asDouble() {
        if (exponent > 22) return RT.decimal(text, digits, exponent, count, 23, 308);
        if (exponent >= 0) return RT.decimal(text, digits, exponent, count, 0, 22);
        if (exponent >= -22) return RT.decimal(text, digits, exponent, count, -22, -1);
        return RT.decimal(text, digits, exponent, count, -343, -23);
    }

    private float asFloat() {
        if (exponent > 10) return RT.decimalFloat(text, digits, exponent, count, 11, 38);
        if (exponent >= 0) return RT.decimalFloat(text, digits, exponent, count, 0, 10);
        if (exponent >= -10) return RT.decimalFloat(text, digits, exponent, count, -10, -1);
        return RT.decimalFloat(text, digits, exponent, count, -64, -11);
    }
}
