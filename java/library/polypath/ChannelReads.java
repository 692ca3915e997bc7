package polypath;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;

/** What channels read into buffers. A channel's own way leads through memory that a run does not see; calls are led here. */
public final class ChannelReads {
    private ChannelReads() {}

    public static int read(ReadableByteChannel from, ByteBuffer to) throws IOException {
        if (!InputFiles.isInput(from)) return from.read(to);
        byte[] bytes = new byte[to.remaining()];
        int n = from.read(ByteBuffer.wrap(bytes));
        to.put(InputFiles.withIds(bytes, Math.max(n, 0), from, -1));
        return n;
    }

    public static int read(FileChannel from, ByteBuffer to, long at) throws IOException {
        if (!InputFiles.isInput(from)) return from.read(to, at);
        byte[] bytes = new byte[to.remaining()];
        int n = from.read(ByteBuffer.wrap(bytes), at);
        to.put(InputFiles.withIds(bytes, Math.max(n, 0), from, at));
        return n;
    }
}
