package java.util.concurrent.atomic;

/** The JDK's own keeps parts of the sum where a run does not see them. This one has the same methods over a lock. */
public class DoubleAdder extends Number implements java.io.Serializable {
    private static final long serialVersionUID = 7249069246863182397L;

    private double value;

    public DoubleAdder() {}

    public synchronized void add(double x) { value += x; }
    public synchronized double sum() { return value; }
    public synchronized void reset() { value = 0; }

    public synchronized double sumThenReset() {
        double sum = value;
        value = 0;
        return sum;
    }

    @Override
    public String toString() { return Double.toString(sum()); }
    @Override
    public long longValue() { return (long) sum(); }
    @Override
    public int intValue() { return (int) sum(); }
    @Override
    public float floatValue() { return (float) sum(); }
    @Override
    public double doubleValue() { return sum(); }
}
