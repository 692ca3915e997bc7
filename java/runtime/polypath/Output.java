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

    // Printing is not recorded: the bytes of the output are none of the run's values.

    @Override
    public void print(boolean value) {
        boolean paused = RT.pause();
        try {
            super.print(value);
        } finally {
            RT.resume(paused);
        }
    }

    @Override
    public void println(boolean value) {
        boolean paused = RT.pause();
        try {
            super.println(value);
        } finally {
            RT.resume(paused);
        }
    }

    @Override
    public void print(char value) {
        boolean paused = RT.pause();
        try {
            super.print(value);
        } finally {
            RT.resume(paused);
        }
    }

    @Override
    public void println(char value) {
        boolean paused = RT.pause();
        try {
            super.println(value);
        } finally {
            RT.resume(paused);
        }
    }

    @Override
    public void print(int value) {
        boolean paused = RT.pause();
        try {
            super.print(value);
        } finally {
            RT.resume(paused);
        }
    }

    @Override
    public void println(int value) {
        boolean paused = RT.pause();
        try {
            super.println(value);
        } finally {
            RT.resume(paused);
        }
    }

    @Override
    public void print(long value) {
        boolean paused = RT.pause();
        try {
            super.print(value);
        } finally {
            RT.resume(paused);
        }
    }

    @Override
    public void println(long value) {
        boolean paused = RT.pause();
        try {
            super.println(value);
        } finally {
            RT.resume(paused);
        }
    }

    @Override
    public void print(float value) {
        boolean paused = RT.pause();
        try {
            super.print(value);
        } finally {
            RT.resume(paused);
        }
    }

    @Override
    public void println(float value) {
        boolean paused = RT.pause();
        try {
            super.println(value);
        } finally {
            RT.resume(paused);
        }
    }

    @Override
    public void print(double value) {
        boolean paused = RT.pause();
        try {
            super.print(value);
        } finally {
            RT.resume(paused);
        }
    }

    @Override
    public void println(double value) {
        boolean paused = RT.pause();
        try {
            super.println(value);
        } finally {
            RT.resume(paused);
        }
    }

    @Override
    public void print(String value) {
        boolean paused = RT.pause();
        try {
            super.print(value);
        } finally {
            RT.resume(paused);
        }
    }

    @Override
    public void println(String value) {
        boolean paused = RT.pause();
        try {
            super.println(value);
        } finally {
            RT.resume(paused);
        }
    }

    @Override
    public void print(Object value) {
        print(text(value));
    }

    @Override
    public void println(Object value) {
        println(text(value));
    }

    /** The text is made by the program, but for exceptions of the JVM: the digits in their messages need no ids to be printed. */
    private static String text(Object value) {
        boolean isOfJvm = value instanceof ArrayIndexOutOfBoundsException || value instanceof NegativeArraySizeException;
        if (!isOfJvm) return String.valueOf(value);
        boolean paused = RT.pause();
        try {
            return String.valueOf(value);
        } finally {
            RT.resume(paused);
        }
    }

    /** What was printed since the last time. */
    public String take() {
        String text = bytes.toString();
        bytes.reset();
        return text;
    }
}
