package polypath.driver;

import java.time.Duration;

/**
 * The time that a run or a call may take by the clock. Where the machine is too busy to give this process the processor that it asks for, it
 * gets up to {@link #MOST} times as long: a run that only waits for its turn is not one that hangs.
 *
 * <p>One thread asks, several times a second: a long time between two questions is one in which the process was stopped (Ctrl-Z), and does not
 * count.
 */
final class Patience {
    private static final int MOST = 4;
    /** Nanoseconds between two questions that tell that the process was stopped. */
    private static final long STOPPED = 2_000_000_000L;
    /** Nanoseconds over which its share of a processor is measured. */
    private static final long WINDOW = 1_000_000_000L;
    /** With a smaller share it waits for something, with a larger one it has what it asks for. */
    private static final double IDLE = 0.02;
    private static final double BUSY = 0.8;

    private final long limit;
    private long begun = System.nanoTime();
    private long asked = begun;
    /** When the window began, and the processor time until then; negative until shortly before the limit. */
    private long since;
    private long used = -1;

    /** Nanoseconds by the clock. */
    Patience(long limit) {
        this.limit = limit;
    }

    /** Whether it has taken too long. */
    boolean isOver() {
        long now = System.nanoTime();
        if (now - asked > STOPPED) {
            begun += now - asked;
            used = -1;
        }
        asked = now;
        long taken = now - begun;
        // The first window ends with the limit.
        long window = Math.min(WINDOW, limit);
        if (taken < limit - window) return false;
        if (taken / MOST > limit) return true;
        if (used >= 0 && (taken <= limit || now - since < window)) return false;
        long processor = processor();
        if (processor < 0) return true;
        double share = (double) (processor - used) / (now - since);
        if (used >= 0 && (share < IDLE || share > BUSY)) return true;
        since = now;
        used = processor;
        return false;
    }

    /** Nanoseconds of processor time of this process; -1 if the system does not tell. */
    private static long processor() {
        return ProcessHandle.current().info().totalCpuDuration().map(Duration::toNanos).orElse(-1L);
    }
}
