package polypath;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;

/** What the program prints, up to a limit. Nobody reads it but Polypath. */
public final class Output extends PrintStream {
    private static final int MOST = 1 << 16;

    private final ByteArrayOutputStream bytes;

    public Output() {
        this(new ByteArrayOutputStream() {
            @Override
            public synchronized void write(int b) {
                if (count < MOST) super.write(b);
            }

            @Override
            public synchronized void write(byte[] from, int offset, int length) {
                super.write(from, offset, Math.min(length, MOST - Math.min(count, MOST)));
            }
        });
    }

    private Output(ByteArrayOutputStream bytes) {
        super(bytes, true);
        this.bytes = bytes;
    }

    /** What was printed since the last time. */
    public String take() {
        String text = bytes.toString();
        bytes.reset();
        return text;
    }
}
