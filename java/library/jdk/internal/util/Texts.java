package jdk.internal.util;

import jdk.internal.access.JavaLangAccess;

/**
 * Bytes and the characters that they are. The JDK's decoders ask {@link JavaLangAccess} for these, which leads to code that a run does
 * not see into; their calls are led here.
 */
public final class Texts {
    private Texts() {}

    /** Decodes bytes up to the first one that is not ASCII; how many. */
    public static int decodeASCII(JavaLangAccess access, byte[] from, int i, char[] to, int j, int n) {
        int done = 0;
        while (done < n && from[i + done] >= 0) {
            to[j + done] = (char) from[i + done];
            done++;
        }
        return done;
    }

    /** A character of a string with two bytes for each, the lower one first on x86-64. Strings are hashed so since Java 21. */
    public static char getUTF16Char(JavaLangAccess access, byte[] from, int i) {
        return (char) (from[2 * i] & 255 | from[2 * i + 1] << 8);
    }

    // The same by their names since Java 25.

    public static int uncheckedDecodeASCII(JavaLangAccess access, byte[] from, int i, char[] to, int j, int n) {
        return decodeASCII(access, from, i, to, j, n);
    }

    public static void uncheckedInflateBytesToChars(JavaLangAccess access, byte[] from, int i, char[] to, int j, int n) {
        inflateBytesToChars(access, from, i, to, j, n);
    }

    public static char uncheckedGetUTF16Char(JavaLangAccess access, byte[] from, int i) {
        return getUTF16Char(access, from, i);
    }

    /** Decodes bytes that are the characters. */
    public static void inflateBytesToChars(JavaLangAccess access, byte[] from, int i, char[] to, int j, int n) {
        for (int k = 0; k < n; k++) to[j + k] = (char) (from[i + k] & 255);
    }
}
