package java.util.zip;

import java.nio.ByteBuffer;

/** The JDK's own is native code. This one computes the same, as RFC 1950 describes it. */
public class Adler32 implements Checksum {
    private static final int BASE = 65521;

    private int low = 1;
    private int high;

    public Adler32() {}

    @Override
    public void update(int b) {
        low = (low + (b & 255)) % BASE;
        high = (high + low) % BASE;
    }

    @Override
    public void update(byte[] from, int offset, int length) {
        if (offset < 0 || length < 0 || offset > from.length - length) throw new ArrayIndexOutOfBoundsException();
        for (int k = 0; k < length; k++) update(from[offset + k]);
    }

    @Override
    public void update(ByteBuffer from) {
        while (from.hasRemaining()) update(from.get());
    }

    @Override
    public void reset() {
        low = 1;
        high = 0;
    }

    @Override
    public long getValue() { return (long) high << 16 | low; }
}
