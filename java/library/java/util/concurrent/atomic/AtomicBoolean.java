package java.util.concurrent.atomic;

/**
 * The JDK's own changes the value by an instruction of the processor, which a run does not see into. This one has the same
 * methods over a lock.
 */
public class AtomicBoolean implements java.io.Serializable {
    private static final long serialVersionUID = 4654671469794556979L;

    /** 0 or 1. */
    private volatile int value;

    public AtomicBoolean(boolean initial) { value = initial ? 1 : 0; }
    public AtomicBoolean() {}

    public final boolean get() { return value != 0; }
    public final boolean getPlain() { return get(); }
    public final boolean getOpaque() { return get(); }
    public final boolean getAcquire() { return get(); }

    public final synchronized void set(boolean next) { value = next ? 1 : 0; }
    public final void lazySet(boolean next) { set(next); }
    public final void setPlain(boolean next) { set(next); }
    public final void setOpaque(boolean next) { set(next); }
    public final void setRelease(boolean next) { set(next); }

    public final synchronized boolean getAndSet(boolean next) {
        boolean before = get();
        set(next);
        return before;
    }

    public final synchronized boolean compareAndSet(boolean expected, boolean next) {
        if (get() != expected) return false;
        set(next);
        return true;
    }

    @Deprecated(since = "9")
    public boolean weakCompareAndSet(boolean expected, boolean next) { return compareAndSet(expected, next); }
    public boolean weakCompareAndSetPlain(boolean expected, boolean next) { return compareAndSet(expected, next); }
    public final boolean weakCompareAndSetVolatile(boolean expected, boolean next) { return compareAndSet(expected, next); }
    public final boolean weakCompareAndSetAcquire(boolean expected, boolean next) { return compareAndSet(expected, next); }
    public final boolean weakCompareAndSetRelease(boolean expected, boolean next) { return compareAndSet(expected, next); }

    public final synchronized boolean compareAndExchange(boolean expected, boolean next) {
        boolean before = get();
        compareAndSet(expected, next);
        return before;
    }

    public final boolean compareAndExchangeAcquire(boolean expected, boolean next) { return compareAndExchange(expected, next); }
    public final boolean compareAndExchangeRelease(boolean expected, boolean next) { return compareAndExchange(expected, next); }

    @Override public String toString() { return String.valueOf(get()); }
}
