package lib;

import java.util.regex.Pattern;

/** Asks of its callers what the library asks of it, or does not. */
public final class Asking {
    private final byte[] key;

    /** @deprecated it has no key */
    @Deprecated
    public Asking() {
        key = null;
    }

    public Asking(byte[] key) {
        this.key = key;
    }

    public int keyLength() {
        return key.length;
    }

    /** What says that a text is none of ours. */
    public static final class Bad extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /** The caller's number. */
    public static int number(String text) {
        return Integer.parseInt(text);
    }

    /** A part of the caller's text. */
    public static int part(String text) {
        return text.startsWith("#") ? Integer.decode(text.substring(1)) : 0;
    }

    /** A parser: its callers are told of `Bad` only. */
    public static int parse(String text) throws Bad {
        if (text.isEmpty()) throw new Bad();
        return text.charAt(0) == '#' ? Integer.parseInt(text.substring(1)) : 1;
    }

    /** The pattern is of our own making. */
    public static boolean composed(String text) {
        return Pattern.compile("a(" + text + "b").matcher("ab").matches();
    }

    /** Two bytes of a result. */
    public static void result(byte[] out, int at) {
        if (at != 1 || out.length < 2) return;
        for (int k = 0; k < 2; k++) out[at + k] = 7;
    }

    /** Moves what is there by one place too many. */
    public static void shifted(byte[] all) {
        for (int k = 0; k < all.length; k++) all[k + 1] = all[k];
    }

    public static int sized(int size) {
        return size == -3 ? new java.util.ArrayList<String>(size).size() : 0;
    }

    public static int large(int size) {
        return size == 0x7fffff00 || size == -3 ? new long[size].length : 0;
    }

    public static String between(String text, int from, int to) {
        return to == 13 ? text.substring(from, to) : text;
    }

    /** Positions count from 1. */
    public static int position(int[] all, int[] places, int at) {
        if (places.length == 1) return all[places[0] - 1];
        return all.length == 2 ? places[at - 1] : 0;
    }

    /** It says only in words what it holds. */
    @SuppressWarnings("rawtypes")
    public static int held(java.util.List numbers) {
        return numbers == null || numbers.isEmpty() ? 0 : (Integer) numbers.get(0);
    }

    /** Of an enum, of which `Enum` is none. */
    public static int constants(Class<? extends Enum<?>> type) {
        return type.getEnumConstants().length;
    }
}
