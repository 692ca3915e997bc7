// complete
import java.nio.*;

/** Numbers in buffers over arrays. */
public class Buffers {
    static int path(byte x, byte y) {
        ByteBuffer b = ByteBuffer.wrap(new byte[] {x, y, 0, 0, 1, 2, 3, 4});
        if (b.get() == 7) return 1;
        if (b.getShort(0) == 0x1234) return 2;
        if (b.order(ByteOrder.LITTLE_ENDIAN).getInt(0) == 0x0504) return 3;
        ByteBuffer c = ByteBuffer.allocate(16);
        c.putInt(x * 3 + y).putLong(y);
        c.flip();
        if (c.getInt() == 99) return 4;
        if (c.asLongBuffer().get(0) == 9) return 5;
        c.putDouble(0, x);
        c.putFloat(8, y);
        if (c.getFloat(8) == 3.0f) return 6;
        CharBuffer d = CharBuffer.wrap(new char[] {(char) x, 'a'});
        if (d.get(0) == 'b') return 7;
        return c.asDoubleBuffer().get(0) < 0 ? 8 : 9;
    }
}
