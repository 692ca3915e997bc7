package java.util.concurrent.atomic;

import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/**
 * The JDK's own changes an element by an instruction of the processor, which a run does not see into. This one has the same
 * methods over a lock.
 */
public class AtomicLongArray implements java.io.Serializable {
    private static final long serialVersionUID = -2308431214976778248L;

    private final long[] array;

    public AtomicLongArray(int length) { array = new long[length]; }
    public AtomicLongArray(long[] other) { array = other.clone(); }

    public final int length() { return array.length; }
    public final synchronized long get(int i) { return array[i]; }
    public final long getPlain(int i) { return get(i); }
    public final long getOpaque(int i) { return get(i); }
    public final long getAcquire(int i) { return get(i); }

    public final synchronized void set(int i, long next) { array[i] = next; }
    public final void lazySet(int i, long next) { set(i, next); }
    public final void setPlain(int i, long next) { set(i, next); }
    public final void setOpaque(int i, long next) { set(i, next); }
    public final void setRelease(int i, long next) { set(i, next); }

    public final synchronized long getAndSet(int i, long next) {
        long before = array[i];
        array[i] = next;
        return before;
    }

    public final synchronized boolean compareAndSet(int i, long expected, long next) {
        if (array[i] != expected) return false;
        array[i] = next;
        return true;
    }

    @Deprecated(since = "9")
    public final boolean weakCompareAndSet(int i, long expected, long next) { return compareAndSet(i, expected, next); }
    public final boolean weakCompareAndSetPlain(int i, long expected, long next) { return compareAndSet(i, expected, next); }
    public final boolean weakCompareAndSetVolatile(int i, long expected, long next) { return compareAndSet(i, expected, next); }
    public final boolean weakCompareAndSetAcquire(int i, long expected, long next) { return compareAndSet(i, expected, next); }
    public final boolean weakCompareAndSetRelease(int i, long expected, long next) { return compareAndSet(i, expected, next); }

    public final synchronized long compareAndExchange(int i, long expected, long next) {
        long before = array[i];
        compareAndSet(i, expected, next);
        return before;
    }

    public final long compareAndExchangeAcquire(int i, long expected, long next) { return compareAndExchange(i, expected, next); }
    public final long compareAndExchangeRelease(int i, long expected, long next) { return compareAndExchange(i, expected, next); }

    public synchronized long addAndGet(int i, long delta) {
        long next = array[i] + delta;
        array[i] = next;
        return next;
    }

    public final synchronized long getAndAdd(int i, long delta) {
        long before = array[i];
        array[i] = before + delta;
        return before;
    }

    public final long getAndIncrement(int i) { return getAndAdd(i, 1); }
    public final long getAndDecrement(int i) { return getAndAdd(i, -1); }
    public final long incrementAndGet(int i) { return addAndGet(i, 1); }
    public final long decrementAndGet(int i) { return addAndGet(i, -1); }

    public final long getAndUpdate(int i, LongUnaryOperator function) {
        while (true) {
            long before = get(i);
            if (compareAndSet(i, before, function.applyAsLong(before))) return before;
        }
    }

    public final long updateAndGet(int i, LongUnaryOperator function) {
        while (true) {
            long before = get(i);
            long next = function.applyAsLong(before);
            if (compareAndSet(i, before, next)) return next;
        }
    }

    public final long getAndAccumulate(int i, long other, LongBinaryOperator function) {
        while (true) {
            long before = get(i);
            if (compareAndSet(i, before, function.applyAsLong(before, other))) return before;
        }
    }

    public final long accumulateAndGet(int i, long other, LongBinaryOperator function) {
        while (true) {
            long before = get(i);
            long next = function.applyAsLong(before, other);
            if (compareAndSet(i, before, next)) return next;
        }
    }

    @Override public String toString() { return java.util.Arrays.toString(array); }
}
