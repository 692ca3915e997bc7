// complete
import java.util.concurrent.atomic.*;

/** Numbers that are changed at once. */
public class Atomics {
    static int path(byte x, byte y) {
        AtomicInteger a = new AtomicInteger(x);
        if (a.incrementAndGet() == 7) return 1;
        AtomicLong l = new AtomicLong();
        l.accumulateAndGet(y, (p, q) -> p - q);
        AtomicIntegerArray s = new AtomicIntegerArray(2);
        s.addAndGet(1, a.get());
        AtomicBoolean b = new AtomicBoolean(x > y);
        if (a.compareAndSet(12, 3)) return 2;
        if (l.get() == 5) return 3;
        if (s.get(1) == 100) return 4;
        if (a.updateAndGet(v -> v * 2) == 40) return 5;
        if (new AtomicLongArray(new long[] {x, y}).compareAndExchange(0, 9, 1) == 9) return 6;
        return b.getAndSet(true) ? 7 : 8;
    }
}
