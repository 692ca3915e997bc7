package jdk.internal.util;

import jdk.internal.misc.ScopedMemoryAccess;
import jdk.internal.misc.Unsafe;

/**
 * Numbers in arrays of bytes. The JDK's buffers read and write them by one instruction, which a run does not see into; their
 * calls are led here, where they go byte by byte. What is no such array is left to the JDK.
 */
public final class HeapBytes {
    private HeapBytes() {}

    /** The index of the first byte of so many; -1 if they do not lie in an array of bytes. */
    private static int index(jdk.internal.misc.ScopedMemoryAccess.Scope scope, Object base, long offset, int size) {
        if (scope != null || !(base instanceof byte[])) return -1;
        long at = offset - Unsafe.ARRAY_BYTE_BASE_OFFSET;
        return at < 0 || at + size > ((byte[]) base).length ? -1 : (int) at;
    }

    /** So many bytes as a number. */
    private static long read(byte[] bytes, int at, int size, boolean isBig) {
        long all = 0;
        for (int k = 0; k < size; k++) all = all << 8 | bytes[isBig ? at + k : at + size - 1 - k] & 255;
        return all;
    }

    private static void write(byte[] bytes, int at, int size, boolean isBig, long value) {
        for (int k = 0; k < size; k++) {
            bytes[isBig ? at + size - 1 - k : at + k] = (byte) value;
            value >>= 8;
        }
    }

    public static short getShortUnaligned(ScopedMemoryAccess access, jdk.internal.misc.ScopedMemoryAccess.Scope scope, Object base, long offset, boolean isBig) {
        int at = index(scope, base, offset, 2);
        if (at < 0) return access.getShortUnaligned(scope, base, offset, isBig);
        return (short) read((byte[]) base, at, 2, isBig);
    }

    public static void putShortUnaligned(ScopedMemoryAccess access, jdk.internal.misc.ScopedMemoryAccess.Scope scope, Object base, long offset, short value, boolean isBig) {
        int at = index(scope, base, offset, 2);
        if (at < 0) access.putShortUnaligned(scope, base, offset, value, isBig);
        else write((byte[]) base, at, 2, isBig, value);
    }

    public static char getCharUnaligned(ScopedMemoryAccess access, jdk.internal.misc.ScopedMemoryAccess.Scope scope, Object base, long offset, boolean isBig) {
        int at = index(scope, base, offset, 2);
        if (at < 0) return access.getCharUnaligned(scope, base, offset, isBig);
        return (char) read((byte[]) base, at, 2, isBig);
    }

    public static void putCharUnaligned(ScopedMemoryAccess access, jdk.internal.misc.ScopedMemoryAccess.Scope scope, Object base, long offset, char value, boolean isBig) {
        int at = index(scope, base, offset, 2);
        if (at < 0) access.putCharUnaligned(scope, base, offset, value, isBig);
        else write((byte[]) base, at, 2, isBig, value);
    }

    public static int getIntUnaligned(ScopedMemoryAccess access, jdk.internal.misc.ScopedMemoryAccess.Scope scope, Object base, long offset, boolean isBig) {
        int at = index(scope, base, offset, 4);
        if (at < 0) return access.getIntUnaligned(scope, base, offset, isBig);
        return (int) read((byte[]) base, at, 4, isBig);
    }

    public static void putIntUnaligned(ScopedMemoryAccess access, jdk.internal.misc.ScopedMemoryAccess.Scope scope, Object base, long offset, int value, boolean isBig) {
        int at = index(scope, base, offset, 4);
        if (at < 0) access.putIntUnaligned(scope, base, offset, value, isBig);
        else write((byte[]) base, at, 4, isBig, value);
    }

    public static long getLongUnaligned(ScopedMemoryAccess access, jdk.internal.misc.ScopedMemoryAccess.Scope scope, Object base, long offset, boolean isBig) {
        int at = index(scope, base, offset, 8);
        if (at < 0) return access.getLongUnaligned(scope, base, offset, isBig);
        return read((byte[]) base, at, 8, isBig);
    }

    public static void putLongUnaligned(ScopedMemoryAccess access, jdk.internal.misc.ScopedMemoryAccess.Scope scope, Object base, long offset, long value, boolean isBig) {
        int at = index(scope, base, offset, 8);
        if (at < 0) access.putLongUnaligned(scope, base, offset, value, isBig);
        else write((byte[]) base, at, 8, isBig, value);
    }
}
