// complete
import java.util.UUID;
import java.util.concurrent.atomic.*;
import java.util.zip.*;

/** Sums that the JDK keeps in native code, or in parts that threads share. */
public class Sums {
    static int path(byte x, byte y) {
        LongAdder n = new LongAdder();
        n.add(x);
        n.increment();
        if (n.sum() == 78) return 1;
        LongAccumulator most = new LongAccumulator(Math::max, 100);
        most.accumulate(x);
        if (most.get() == 120) return 2;
        CRC32 crc = new CRC32();
        crc.update(new byte[] {1, y, 3});
        if (crc.getValue() == 0x225dd3d7L) return 3;
        crc.reset();
        crc.update(y);
        if (crc.getValue() == 0xd202ef8dL) return 4;
        Adler32 adler = new Adler32();
        adler.update(new byte[] {y, y});
        if (adler.getValue() == 0x003e0029L) return 5;
        return new UUID(y, 5).toString().startsWith("00000000-0000-004d") ? 6 : 7;
    }
}
