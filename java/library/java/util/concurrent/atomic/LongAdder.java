package java.util.concurrent.atomic;

/** The JDK's own keeps parts of the sum where a run does not see them. This one has the same methods over a lock. */
public class LongAdder extends Number implements java.io.Serializable {
    private static final long serialVersionUID = 7249069246863182397L;

    private long value;

    public LongAdder() {}

    public synchronized void add(long x) { value += x; }
    public void increment() { add(1); }
    public void decrement() { add(-1); }
    public synchronized long sum() { return value; }
    public synchronized void reset() { value = 0; }

    public synchronized long sumThenReset() {
        long sum = value;
        value = 0;
        return sum;
    }

    @Override
    public String toString() { return Long.toString(sum()); }
    @Override
    public long longValue() { return sum(); }
    @Override
    public int intValue() { return (int) sum(); }
    @Override
    public float floatValue() { return (float) sum(); }
    @Override
    public double doubleValue() { return sum(); }
}
