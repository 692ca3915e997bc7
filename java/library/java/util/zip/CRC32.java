package java.util.zip;

import java.nio.ByteBuffer;

/** The JDK's own is native code. This one computes the same with a table, as ISO 3309 and RFC 1952 describe it. */
public class CRC32 implements Checksum {
    private static final int POLYNOMIAL = 0xedb88320;
    /** What each byte does to a sum of 0. */
    private static final int[] TABLE = new int[256];

    static {
        for (int b = 0; b < 256; b++) {
            int sum = b;
            for (int bit = 0; bit < 8; bit++) sum = (sum & 1) != 0 ? sum >>> 1 ^ POLYNOMIAL : sum >>> 1;
            TABLE[b] = sum;
        }
    }

    private int crc;

    public CRC32() {}

    private static int next(int sum, int b) { return TABLE[(sum ^ b) & 255] ^ sum >>> 8; }

    @Override
    public void update(int b) { crc = ~next(~crc, b); }

    @Override
    public void update(byte[] from, int offset, int length) {
        if (offset < 0 || length < 0 || offset > from.length - length) throw new ArrayIndexOutOfBoundsException();
        int sum = ~crc;
        for (int k = 0; k < length; k++) sum = next(sum, from[offset + k]);
        crc = ~sum;
    }

    @Override
    public void update(ByteBuffer from) {
        while (from.hasRemaining()) update(from.get());
    }

    @Override
    public void reset() { crc = 0; }
    @Override
    public long getValue() { return crc & 0xffffffffL; }
}
