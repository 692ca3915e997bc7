package java.util.concurrent.atomic;

import java.util.function.DoubleBinaryOperator;

/** The JDK's own keeps parts of the value where a run does not see them. This one has the same methods over a lock. */
public class DoubleAccumulator extends Number implements java.io.Serializable {
    private static final long serialVersionUID = 7249069246863182397L;

    private final DoubleBinaryOperator function;
    private final double identity;
    private double value;

    public DoubleAccumulator(DoubleBinaryOperator function, double identity) {
        this.function = function;
        this.identity = identity;
        value = identity;
    }

    public synchronized void accumulate(double x) { value = function.applyAsDouble(value, x); }
    public synchronized double get() { return value; }
    public synchronized void reset() { value = identity; }

    public synchronized double getThenReset() {
        double result = value;
        value = identity;
        return result;
    }

    @Override
    public String toString() { return Double.toString(get()); }
    @Override
    public long longValue() { return (long) get(); }
    @Override
    public int intValue() { return (int) get(); }
    @Override
    public float floatValue() { return (float) get(); }
    @Override
    public double doubleValue() { return get(); }
}
