package java.util.concurrent.atomic;

import java.util.function.LongBinaryOperator;

/** The JDK's own keeps parts of the value where a run does not see them. This one has the same methods over a lock. */
public class LongAccumulator extends Number implements java.io.Serializable {
    private static final long serialVersionUID = 7249069246863182397L;

    private final LongBinaryOperator function;
    private final long identity;
    private long value;

    public LongAccumulator(LongBinaryOperator function, long identity) {
        this.function = function;
        this.identity = identity;
        value = identity;
    }

    public synchronized void accumulate(long x) { value = function.applyAsLong(value, x); }
    public synchronized long get() { return value; }
    public synchronized void reset() { value = identity; }

    public synchronized long getThenReset() {
        long result = value;
        value = identity;
        return result;
    }

    @Override
    public String toString() { return Long.toString(get()); }
    @Override
    public long longValue() { return get(); }
    @Override
    public int intValue() { return (int) get(); }
    @Override
    public float floatValue() { return (float) get(); }
    @Override
    public double doubleValue() { return get(); }
}
