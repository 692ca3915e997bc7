package com.twelvemonkeys.imageio.plugins.bmp;

import com.twelvemonkeys.io.LittleEndianDataInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;

/** The headers of TwelveMonkeys' reader of bitmaps, which only its own package may call. */
public final class Headers {
    private Headers() {}

    public static Object dib(byte[] file) throws IOException {
        LittleEndianDataInputStream in = new LittleEndianDataInputStream(new ByteArrayInputStream(file));
        if (in.readUnsignedShort() != 0x4d42) throw new IOException("no bitmap");
        in.readInt();
        in.readInt();
        in.readInt();
        return DIBHeader.read(in);
    }
}
