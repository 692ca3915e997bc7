package java.util.concurrent.atomic;

import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;

/**
 * The JDK's own changes the number by an instruction of the processor, which a run does not see into. This one has the same
 * methods over a lock.
 */
public class AtomicInteger extends Number implements java.io.Serializable {
    private static final long serialVersionUID = 6214790243416807050L;

    private volatile int value;

    public AtomicInteger(int initial) { value = initial; }
    public AtomicInteger() {}

    public final int get() { return value; }
    public final int getPlain() { return value; }
    public final int getOpaque() { return value; }
    public final int getAcquire() { return value; }

    public final synchronized void set(int next) { value = next; }
    public final void lazySet(int next) { set(next); }
    public final void setPlain(int next) { set(next); }
    public final void setOpaque(int next) { set(next); }
    public final void setRelease(int next) { set(next); }

    public final synchronized int getAndSet(int next) {
        int before = value;
        value = next;
        return before;
    }

    public final synchronized boolean compareAndSet(int expected, int next) {
        if (value != expected) return false;
        value = next;
        return true;
    }

    @Deprecated(since = "9")
    public final boolean weakCompareAndSet(int expected, int next) { return compareAndSet(expected, next); }
    public final boolean weakCompareAndSetPlain(int expected, int next) { return compareAndSet(expected, next); }
    public final boolean weakCompareAndSetVolatile(int expected, int next) { return compareAndSet(expected, next); }
    public final boolean weakCompareAndSetAcquire(int expected, int next) { return compareAndSet(expected, next); }
    public final boolean weakCompareAndSetRelease(int expected, int next) { return compareAndSet(expected, next); }

    public final synchronized int compareAndExchange(int expected, int next) {
        int before = value;
        compareAndSet(expected, next);
        return before;
    }

    public final int compareAndExchangeAcquire(int expected, int next) { return compareAndExchange(expected, next); }
    public final int compareAndExchangeRelease(int expected, int next) { return compareAndExchange(expected, next); }

    public final synchronized int addAndGet(int delta) {
        int next = value + delta;
        value = next;
        return next;
    }

    public final synchronized int getAndAdd(int delta) {
        int before = value;
        value = before + delta;
        return before;
    }

    public final int getAndIncrement() { return getAndAdd(1); }
    public final int getAndDecrement() { return getAndAdd(-1); }
    public final int incrementAndGet() { return addAndGet(1); }
    public final int decrementAndGet() { return addAndGet(-1); }

    public final int getAndUpdate(IntUnaryOperator function) {
        while (true) {
            int before = value;
            if (compareAndSet(before, function.applyAsInt(before))) return before;
        }
    }

    public final int updateAndGet(IntUnaryOperator function) {
        while (true) {
            int before = value;
            int next = function.applyAsInt(before);
            if (compareAndSet(before, next)) return next;
        }
    }

    public final int getAndAccumulate(int other, IntBinaryOperator function) {
        while (true) {
            int before = value;
            if (compareAndSet(before, function.applyAsInt(before, other))) return before;
        }
    }

    public final int accumulateAndGet(int other, IntBinaryOperator function) {
        while (true) {
            int before = value;
            int next = function.applyAsInt(before, other);
            if (compareAndSet(before, next)) return next;
        }
    }

    @Override public String toString() { return Integer.toString(value); }
    @Override public int intValue() { return value; }
    @Override public long longValue() { return value; }
    @Override public float floatValue() { return value; }
    @Override public double doubleValue() { return value; }
}
