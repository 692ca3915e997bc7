package sun.security.provider;

/**
 * The JDK's own reads numbers out of bytes, and writes them there, by variable handles, which a run does not see into. This one has the same methods over
 * the bytes one by one. Counts are in bytes.
 */
final class ByteArrayAccess {
    private ByteArrayAccess() {}

    private static int big(byte[] from, int at) {
        return from[at] << 24 | (from[at + 1] & 255) << 16 | (from[at + 2] & 255) << 8 | from[at + 3] & 255;
    }

    private static int little(byte[] from, int at) {
        return from[at + 3] << 24 | (from[at + 2] & 255) << 16 | (from[at + 1] & 255) << 8 | from[at] & 255;
    }

    private static void big(int value, byte[] to, int at) {
        for (int k = 0; k < 4; k++) to[at + k] = (byte) (value >> 24 - 8 * k);
    }

    private static void little(int value, byte[] to, int at) {
        for (int k = 0; k < 4; k++) to[at + k] = (byte) (value >> 8 * k);
    }

    static void i2bLittle(int[] from, int first, byte[] to, int at, int count) {
        for (int end = at + count; at < end; at += 4) little(from[first++], to, at);
    }

    static void i2bLittle4(int value, byte[] to, int at) {
        little(value, to, at);
    }

    static void b2iBig(byte[] from, int at, int[] to, int first, int count) {
        for (int end = at + count; at < end; at += 4) to[first++] = big(from, at);
    }

    static void b2iBig64(byte[] from, int at, int[] to) {
        b2iBig(from, at, to, 0, 64);
    }

    static void i2bBig(int[] from, int first, byte[] to, int at, int count) {
        for (int end = at + count; at < end; at += 4) big(from[first++], to, at);
    }

    static void i2bBig4(int value, byte[] to, int at) {
        big(value, to, at);
    }

    static void b2lBig(byte[] from, int at, long[] to, int first, int count) {
        for (int end = at + count; at < end; at += 8) to[first++] = (long) big(from, at) << 32 | big(from, at + 4) & 0xFFFFFFFFL;
    }

    static void b2lBig128(byte[] from, int at, long[] to) {
        b2lBig(from, at, to, 0, 128);
    }

    static void l2bBig(long[] from, int first, byte[] to, int at, int count) {
        for (int end = at + count; at < end; at += 8) {
            long value = from[first++];
            big((int) (value >> 32), to, at);
            big((int) value, to, at + 4);
        }
    }

    static void b2lLittle(byte[] from, int at, long[] to, int first, int count) {
        for (int end = at + count; at < end; at += 8) to[first++] = (long) little(from, at + 4) << 32 | little(from, at) & 0xFFFFFFFFL;
    }

    static void l2bLittle(long[] from, int first, byte[] to, int at, int count) {
        for (int end = at + count; at < end; at += 8) {
            long value = from[first++];
            little((int) value, to, at);
            little((int) (value >> 32), to, at + 4);
        }
    }
}
