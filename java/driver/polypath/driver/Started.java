package polypath.driver;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The threads that a call starts on a plain JVM, and the first exception that leaves the code of one of them. */
final class Started implements Thread.UncaughtExceptionHandler {
    /** Looks in a row at which nobody goes on. */
    private static final int STILL = 3;
    /** How long a call waits for threads that go on by the clock. */
    private static final long AFTER = 1_000_000_000;

    private final Set<Thread> before = new HashSet<>(all());
    private volatile Throwable uncaught;

    /** To be made before the call. */
    Started() {
        Thread.setDefaultUncaughtExceptionHandler(this);
    }

    @Override
    public synchronized void uncaughtException(Thread t, Throwable e) {
        if (uncaught == null && !before.contains(t)) uncaught = e;
    }

    /** Waits for those that are no daemons, as a JVM does at its end, unless they wait for others. What has left the code of one. */
    Throwable await() {
        // The call can have left its own thread interrupted.
        Thread.interrupted();
        long end = System.nanoTime() + AFTER;
        for (int still = 0; still < STILL && System.nanoTime() - end < 0; ) {
            boolean moves = false;
            boolean any = false;
            for (Thread t : all()) {
                if (before.contains(t) || t.isDaemon() || t.getState() == Thread.State.TERMINATED) continue;
                any = true;
                moves |= t.getState() == Thread.State.RUNNABLE || t.getState() == Thread.State.TIMED_WAITING;
            }
            if (!any) break;
            still = moves ? 0 : still + 1;
            java.util.concurrent.locks.LockSupport.parkNanos(2_000_000);
        }
        return uncaught;
    }

    private static List<Thread> all() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        Thread[] all = new Thread[2 * group.activeCount() + 8];
        return Arrays.asList(all).subList(0, group.enumerate(all));
    }
}
