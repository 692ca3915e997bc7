package java.util.concurrent.atomic;

import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/**
 * The JDK's own changes the number by an instruction of the processor, which a run does not see into. This one has the same
 * methods over a lock.
 */
public class AtomicLong extends Number implements java.io.Serializable {
    private static final long serialVersionUID = 1927816293512124184L;

    private volatile long value;

    public AtomicLong(long initial) { value = initial; }
    public AtomicLong() {}

    public final long get() { return value; }
    public final long getPlain() { return value; }
    public final long getOpaque() { return value; }
    public final long getAcquire() { return value; }

    public final synchronized void set(long next) { value = next; }
    public final void lazySet(long next) { set(next); }
    public final void setPlain(long next) { set(next); }
    public final void setOpaque(long next) { set(next); }
    public final void setRelease(long next) { set(next); }

    public final synchronized long getAndSet(long next) {
        long before = value;
        value = next;
        return before;
    }

    public final synchronized boolean compareAndSet(long expected, long next) {
        if (value != expected) return false;
        value = next;
        return true;
    }

    @Deprecated(since = "9")
    public final boolean weakCompareAndSet(long expected, long next) { return compareAndSet(expected, next); }
    public final boolean weakCompareAndSetPlain(long expected, long next) { return compareAndSet(expected, next); }
    public final boolean weakCompareAndSetVolatile(long expected, long next) { return compareAndSet(expected, next); }
    public final boolean weakCompareAndSetAcquire(long expected, long next) { return compareAndSet(expected, next); }
    public final boolean weakCompareAndSetRelease(long expected, long next) { return compareAndSet(expected, next); }

    public final synchronized long compareAndExchange(long expected, long next) {
        long before = value;
        compareAndSet(expected, next);
        return before;
    }

    public final long compareAndExchangeAcquire(long expected, long next) { return compareAndExchange(expected, next); }
    public final long compareAndExchangeRelease(long expected, long next) { return compareAndExchange(expected, next); }

    public final synchronized long addAndGet(long delta) {
        long next = value + delta;
        value = next;
        return next;
    }

    public final synchronized long getAndAdd(long delta) {
        long before = value;
        value = before + delta;
        return before;
    }

    public final long getAndIncrement() { return getAndAdd(1); }
    public final long getAndDecrement() { return getAndAdd(-1); }
    public final long incrementAndGet() { return addAndGet(1); }
    public final long decrementAndGet() { return addAndGet(-1); }

    public final long getAndUpdate(LongUnaryOperator function) {
        while (true) {
            long before = value;
            if (compareAndSet(before, function.applyAsLong(before))) return before;
        }
    }

    public final long updateAndGet(LongUnaryOperator function) {
        while (true) {
            long before = value;
            long next = function.applyAsLong(before);
            if (compareAndSet(before, next)) return next;
        }
    }

    public final long getAndAccumulate(long other, LongBinaryOperator function) {
        while (true) {
            long before = value;
            if (compareAndSet(before, function.applyAsLong(before, other))) return before;
        }
    }

    public final long accumulateAndGet(long other, LongBinaryOperator function) {
        while (true) {
            long before = value;
            long next = function.applyAsLong(before, other);
            if (compareAndSet(before, next)) return next;
        }
    }

    @Override public String toString() { return Long.toString(value); }
    @Override public int intValue() { return (int) value; }
    @Override public long longValue() { return value; }
    @Override public float floatValue() { return value; }
    @Override public double doubleValue() { return value; }
}
