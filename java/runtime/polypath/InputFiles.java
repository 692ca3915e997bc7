package polypath;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.Method;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Map;
import jdk.internal.access.SharedSecrets;
import jdk.internal.misc.Unsafe;

/**
 * The files whose bytes are input. They are real ones, which the driver writes anew before each run, so that whatever a program asks
 * of them is as it should be. What it reads by the natives of streams and channels gets the ids of the input's bytes.
 *
 * Other ways to their contents (mappings, copies made by the system) are not followed, but seen: the times of last access and change are
 * set to fixed values, and after each read that was followed once more. Whoever else reads or writes leaves another time behind.
 */
public final class InputFiles {
    private InputFiles() {}

    /** Times that no program's own reads and writes leave behind. */
    private static final FileTime CHANGED = FileTime.fromMillis(1_000_000_000_000L);
    private static final FileTime ACCESSED = FileTime.fromMillis(999_999_000_000L);

    /** A file of the run. */
    private static final class InputFile {
        final Path path;
        final byte[] content;
        /** Keeps what the program may delete. */
        FileInputStream handle;
        Object key;
        /** What it reads of it is not followed any more: it was changed, or read in another way. */
        boolean isLost;
        boolean isReadToEnd;

        InputFile(Path path, byte[] content) {
            this.path = path;
            this.content = content;
        }

        Path byHandle() throws IOException {
            return link(handle.getFD());
        }

        /** Writes it anew. Returns whether the system says when it is read. */
        boolean write() throws IOException {
            // The program may have made something else of it.
            Files.deleteIfExists(path);
            try (FileOutputStream out = new FileOutputStream(path.toFile())) {
                out.write(content.clone());
            }
            handle = new FileInputStream(path.toFile());
            key = attributes(path).fileKey();
            settle(path);
            if (content.length == 0) return true;
            handle.read();
            boolean tells = !attributes(path).lastAccessTime().equals(ACCESSED);
            settle(path);
            return tells;
        }
    }

    /** Those of the run by what the system tells files apart by; null if there are none. */
    private static Map<Object, InputFile> files;

    private static Path link(FileDescriptor fd) {
        return Path.of("/proc/self/fd/" + SharedSecrets.getJavaIOFileDescriptorAccess().get(fd));
    }

    private static BasicFileAttributes attributes(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class);
    }

    private static void settle(Path path) throws IOException {
        Files.getFileAttributeView(path, BasicFileAttributeView.class).setTimes(CHANGED, ACCESSED, null);
    }

    /**
     * A run begins: files with these names and contents are written, in place of those of the run before. The contents carry the ids of
     * the input. To be called while the thread works for us ({@link RT#pause}). Returns whether the system says when files are read.
     */
    public static boolean begin(Path directory, Map<String, byte[]> contents) throws IOException {
        end();
        boolean tells = true;
        Map<Object, InputFile> all = new HashMap<>();
        for (Map.Entry<String, byte[]> e : contents.entrySet()) {
            InputFile f = new InputFile(directory.resolve(e.getKey()), e.getValue());
            tells &= f.write();
            all.put(f.key, f);
        }
        files = all;
        return tells;
    }

    /** The run has ended. */
    public static void end() throws IOException {
        if (files != null) for (InputFile f : files.values()) f.handle.close();
        files = null;
    }

    /** Files that were read in ways that are not followed. */
    public static int takeLost() throws IOException {
        int n = 0;
        if (files != null) for (InputFile f : files.values()) if (f.content.length > 0 && wasRead(f)) n++;
        return n;
    }

    /** Of how many files of input the program has come to the end. */
    public static int readToEnd() {
        int n = 0;
        if (files != null) for (InputFile f : files.values()) if (f.isReadToEnd) n++;
        return n;
    }

    private static boolean wasRead(InputFile f) throws IOException {
        return !attributes(f.byHandle()).lastAccessTime().equals(ACCESSED);
    }

    // ------------------------------------------------------------------ what woven code calls

    private static final class Natives {
        static final Method POSITION;
        static final long CHANNEL_FD;

        static {
            try {
                POSITION = FileInputStream.class.getDeclaredMethod("position0");
                POSITION.setAccessible(true);
                Class<?> channel = Class.forName("sun.nio.ch.FileChannelImpl");
                CHANNEL_FD = Unsafe.getUnsafe().objectFieldOffset(channel, "fd");
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** The file's descriptor behind a stream or channel; null if there is none. */
    private static FileDescriptor descriptor(Object from) throws IOException {
        if (from instanceof FileInputStream) return ((FileInputStream) from).getFD();
        if (from instanceof RandomAccessFile) return ((RandomAccessFile) from).getFD();
        if (from.getClass().getName().equals("sun.nio.ch.FileChannelImpl")) {
            return (FileDescriptor) Unsafe.getUnsafe().getReference(from, Natives.CHANNEL_FD);
        }
        return null;
    }

    private static long position(Object from) throws IOException {
        if (from instanceof RandomAccessFile) return ((RandomAccessFile) from).getFilePointer();
        if (from instanceof FileChannel) return ((FileChannel) from).position();
        try {
            return (Long) Natives.POSITION.invoke(from);
        } catch (ReflectiveOperationException e) {
            throw new IOException(e);
        }
    }

    /** A stream is about to be read. */
    public static void reads(Object from, Ctx c) {
        if (files != null && c.live) reads(from);
    }

    /** Whether what is about to be read is a file of the run. Was it changed, or read in another way? */
    private static boolean reads(Object from) {
        boolean paused = RT.pause();
        try {
            FileDescriptor fd = descriptor(from);
            if (fd == null || !fd.valid()) return false;
            BasicFileAttributes now = attributes(link(fd));
            InputFile f = files.get(now.fileKey());
            if (f == null) return false;
            f.isLost |= !now.lastModifiedTime().equals(CHANGED) || f.content.length > 0 && !now.lastAccessTime().equals(ACCESSED);
            return true;
        } catch (IOException e) {
            // The read will say so.
            return false;
        } finally {
            RT.resume(paused);
        }
    }

    /** What was read last: a file of the run, null if it was another one, and where the read began; -1 if nothing is known of it. */
    private static InputFile last;
    private static int begin;

    /**
     * Finds what was read, after {@link #reads} and the read: `n` bytes, from this position of the file on (-1: from where the stream
     * stood).
     */
    private static void find(Object from, int n, long at) {
        last = null;
        begin = -1;
        boolean paused = RT.pause();
        try {
            FileDescriptor fd = descriptor(from);
            if (fd == null || !fd.valid()) return;
            last = files.get(attributes(link(fd)).fileKey());
            if (last == null || last.isLost) return;
            long first = at >= 0 ? at : position(from) - n;
            last.isReadToEnd |= first + n >= last.content.length;
            if (first < 0 || first + n > last.content.length) return;
            settle(last.byHandle());
            begin = (int) first;
        } catch (IOException e) {
            // Then nothing is known of it.
        } finally {
            RT.resume(paused);
        }
    }

    private static void lose(int site, Ctx c) {
        last.isLost = true;
        c.lose(Wire.LOST_FILE, site);
    }

    /** An array without ids. */
    private static final byte[] NONE = {};

    private static void into(Object from, byte[] array, int off, int n, long at, int site, Ctx c) {
        if (!c.live) return;
        RT.settle(array, c);
        n = Math.max(n, 0);
        // Whatever the array had there is gone.
        c.shadows.copy(NONE, 0, array, off, n);
        if (files == null) return;
        // At the end of a file, too, this was a read.
        find(from, n, at);
        if (last == null || n == 0) return;
        if (begin < 0 || !c.shadows.copy(last.content, begin, array, off, n)) lose(site, c);
    }

    /** Bytes were read into an array by a stream's native: they get the ids of the file's bytes. */
    public static void intoArray(int n, Object from, byte[] array, int off, int site, Ctx c) {
        into(from, array, off, n, -1, site, c);
    }

    /** Whether a channel that is about to be read leads to a file of the run. */
    public static boolean isInput(Object channel) {
        Ctx c = RT.ctx();
        return files != null && c.live && reads(channel);
    }

    /** The bytes that such a channel has read, with their ids; from this position of the file on, or, at -1, from where it stood. */
    public static byte[] withIds(byte[] read, int n, Object channel, long at) {
        byte[] bytes = new byte[n];
        System.arraycopy(read, 0, bytes, 0, n);
        into(channel, bytes, 0, n, at, -1, RT.ctx());
        return bytes;
    }

    private static final int IAND = 126;

    /** The id of a byte that a stream's native gave as a number without a sign. */
    public static int id(int value, Object from, int site, Ctx c) {
        if (files == null || !c.live) return 0;
        find(from, value < 0 ? 0 : 1, -1);
        if (last == null || value < 0) return 0;
        if (begin < 0) {
            lose(site, c);
            return 0;
        }
        int id = RT.load(last.content, begin, 0, site, c);
        return RT.ints((byte) value, 255, id, 0, IAND, c);
    }
}
