package java.util.concurrent.atomic;

import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;

/**
 * The JDK's own changes an element by an instruction of the processor, which a run does not see into. This one has the same
 * methods over a lock.
 */
public class AtomicIntegerArray implements java.io.Serializable {
    private static final long serialVersionUID = 2862133569453604235L;

    private final int[] array;

    public AtomicIntegerArray(int length) { array = new int[length]; }
    public AtomicIntegerArray(int[] other) { array = other.clone(); }

    public final int length() { return array.length; }
    public final synchronized int get(int i) { return array[i]; }
    public final int getPlain(int i) { return get(i); }
    public final int getOpaque(int i) { return get(i); }
    public final int getAcquire(int i) { return get(i); }

    public final synchronized void set(int i, int next) { array[i] = next; }
    public final void lazySet(int i, int next) { set(i, next); }
    public final void setPlain(int i, int next) { set(i, next); }
    public final void setOpaque(int i, int next) { set(i, next); }
    public final void setRelease(int i, int next) { set(i, next); }

    public final synchronized int getAndSet(int i, int next) {
        int before = array[i];
        array[i] = next;
        return before;
    }

    public final synchronized boolean compareAndSet(int i, int expected, int next) {
        if (array[i] != expected) return false;
        array[i] = next;
        return true;
    }

    @Deprecated(since = "9")
    public final boolean weakCompareAndSet(int i, int expected, int next) { return compareAndSet(i, expected, next); }
    public final boolean weakCompareAndSetPlain(int i, int expected, int next) { return compareAndSet(i, expected, next); }
    public final boolean weakCompareAndSetVolatile(int i, int expected, int next) { return compareAndSet(i, expected, next); }
    public final boolean weakCompareAndSetAcquire(int i, int expected, int next) { return compareAndSet(i, expected, next); }
    public final boolean weakCompareAndSetRelease(int i, int expected, int next) { return compareAndSet(i, expected, next); }

    public final synchronized int compareAndExchange(int i, int expected, int next) {
        int before = array[i];
        compareAndSet(i, expected, next);
        return before;
    }

    public final int compareAndExchangeAcquire(int i, int expected, int next) { return compareAndExchange(i, expected, next); }
    public final int compareAndExchangeRelease(int i, int expected, int next) { return compareAndExchange(i, expected, next); }

    public final synchronized int addAndGet(int i, int delta) {
        int next = array[i] + delta;
        array[i] = next;
        return next;
    }

    public final synchronized int getAndAdd(int i, int delta) {
        int before = array[i];
        array[i] = before + delta;
        return before;
    }

    public final int getAndIncrement(int i) { return getAndAdd(i, 1); }
    public final int getAndDecrement(int i) { return getAndAdd(i, -1); }
    public final int incrementAndGet(int i) { return addAndGet(i, 1); }
    public final int decrementAndGet(int i) { return addAndGet(i, -1); }

    public final int getAndUpdate(int i, IntUnaryOperator function) {
        while (true) {
            int before = get(i);
            if (compareAndSet(i, before, function.applyAsInt(before))) return before;
        }
    }

    public final int updateAndGet(int i, IntUnaryOperator function) {
        while (true) {
            int before = get(i);
            int next = function.applyAsInt(before);
            if (compareAndSet(i, before, next)) return next;
        }
    }

    public final int getAndAccumulate(int i, int other, IntBinaryOperator function) {
        while (true) {
            int before = get(i);
            if (compareAndSet(i, before, function.applyAsInt(before, other))) return before;
        }
    }

    public final int accumulateAndGet(int i, int other, IntBinaryOperator function) {
        while (true) {
            int before = get(i);
            int next = function.applyAsInt(before, other);
            if (compareAndSet(i, before, next)) return next;
        }
    }

    @Override public String toString() { return java.util.Arrays.toString(array); }
}
