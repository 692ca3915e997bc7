package polypath;

import java.lang.reflect.Field;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.locks.LockSupport;

/**
 * The program's threads. At any time one of them has the *baton*, and only that one runs woven code, so the context with its ids, records
 * and steps belongs to one thread at a time. It keeps the baton until it waits for something, ends, yields or has taken a slice of its
 * steps; then the next one gets it, in the order in which they came. So a program whose threads wait for each other takes the same way
 * in each run with the same input. Other orders are not tried.
 *
 * Nothing is done before a thread waits: an arbiter, a thread of our own, sees that the one with the baton does, and takes it away.
 * A thread that comes back from where it can have waited asks whether it has the baton yet ({@link #back}).
 */
public final class Threads {
    private Threads() {}

    /** How often the arbiter looks, in nanoseconds. */
    private static final long LOOK = 50_000;
    /** Looks in a row at which nothing moves before the baton goes on: threads that were just woken are on their way. */
    private static final int STILL = 3;
    /** How long it waits for threads that run code which is not woven. */
    private static final long PATIENCE = 100_000_000;
    /** How long a run waits for what its threads do by the clock when its entry point is at its end. */
    private static final long AFTER = 1_000_000_000;
    /** How long threads may take to end when their run is over. */
    private static final long ENDS = 500_000_000;

    private static final Object LOCK = new Object();
    /** Whether a second thread of the program has come in this run. */
    static volatile boolean many;

    private static final class Slot {
        final Thread thread;
        /** It waits for the baton. */
        boolean wants;
        /** It gives the baton to others if they want it. */
        boolean yields;
        /** It works for us. */
        volatile boolean works;
        /** Its run is over. */
        volatile boolean isLeft;
        /** How often it has asked whether it has the baton: then it is about to run woven code. */
        volatile int asked;
        /** What it was about to throw when the baton went on. */
        Throwable thrown;

        Slot(Thread thread) {
            this.thread = thread;
        }
    }

    private static volatile Slot[] slots = new Slot[0];
    private static Thread main;
    private static ThreadGroup group;
    private static boolean hasArbiter;
    private static boolean drains;
    private static volatile boolean isOver = true;
    /** How a thread has ended the run. */
    private static volatile RunEnd ended;
    private static Throwable uncaught;

    /** This thread runs entry points. Those that it starts, and those that they start, are the program's. */
    static void own() {
        main = Thread.currentThread();
        group = main.getThreadGroup();
        slots = new Slot[] {new Slot(main)};
    }

    /** A run begins. */
    static void begin() {
        synchronized (LOCK) {
            many = false;
            drains = false;
            isOver = false;
            ended = null;
            uncaught = null;
            slot(main).isLeft = false;
            slot(main).thrown = null;
        }
        // What an earlier run did to this thread.
        Thread.interrupted();
    }

    /** A thread ends the run. What it throws can be wrapped or kept by code that is not woven; the run has ended all the same. */
    static void ends(RunEnd end) {
        if (isOver) return;
        Slot s = slot(Thread.currentThread());
        if (s == null || s.isLeft) return;
        synchronized (LOCK) {
            if (isOver) return;
            if (ended == null) ended = end;
            LOCK.notifyAll();
            // It may wait for what does not come any more.
            if (s.thread != main) main.interrupt();
        }
    }

    /** A thread begins to work for us, whether or not it has the baton. Whether it did not before. */
    static boolean work(Thread t) {
        Slot s = slot(t);
        if (s == null || s.works) return false;
        s.works = true;
        return true;
    }

    static void worked(Thread t) {
        Slot s = slot(t);
        if (s != null) s.works = false;
    }

    static boolean works(Thread t) {
        Slot s = slot(t);
        return s != null && s.works;
    }

    private static Slot slot(Thread t) {
        for (Slot s : slots) if (s.thread == t) return s;
        return null;
    }

    private static Slot add(Thread t) {
        Slot s = slot(t);
        if (s != null) return s;
        int live = 0;
        Slot[] next = new Slot[slots.length + 1];
        for (Slot old : slots) if (old.thread.isAlive() || old.thread == RT.owner) next[live++] = old;
        s = new Slot(t);
        next[live++] = s;
        Slot[] exact = new Slot[live];
        System.arraycopy(next, 0, exact, 0, live);
        slots = exact;
        return s;
    }

    private static boolean isProgram(Thread t) {
        for (ThreadGroup g = t.getThreadGroup(); g != null; g = g.getParent()) if (g == group) return true;
        return false;
    }

    // ------------------------------------------------------------------ the baton

    /** A thread without the baton comes to woven code: whether it is one of the program, and has the baton now. */
    static boolean join(Thread t) {
        if (t == main) {
            back();
            return true;
        }
        if (!isProgram(t)) return false;
        synchronized (LOCK) {
            Slot s = add(t);
            many = true;
            if (!hasArbiter) startArbiter();
            await(s);
        }
        return true;
    }

    /** A thread comes back from where it can have waited. */
    static void back() {
        Thread t = Thread.currentThread();
        Slot s = slot(t);
        if (s == null || s.works || t == RT.paused) return;
        s.asked++;
        if (RT.owner == t && ended == null && !s.isLeft) return;
        synchronized (LOCK) {
            await(s);
        }
    }

    /** Others may go on first. */
    static void pass() {
        Slot s = slot(Thread.currentThread());
        if (s == null || RT.owner != s.thread) return;
        synchronized (LOCK) {
            if (!isWanted(s)) return;
            s.yields = true;
            await(s);
        }
    }

    private static void await(Slot s) {
        s.wants = true;
        LOCK.notifyAll();
        boolean interrupted = false;
        while ((RT.owner != s.thread || s.yields) && ended == null && !s.isLeft) interrupted |= sleep(0);
        s.wants = false;
        s.yields = false;
        RunEnd end = ended;
        if (interrupted && end == null) s.thread.interrupt();
        if (s.isLeft) throw new RunEnd("over");
        if (end != null) throw end;
    }

    /** Waits for a notice. Whether it was interrupted meanwhile. */
    private static boolean sleep(long milliseconds) {
        try {
            LOCK.wait(milliseconds);
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    private static boolean isWanted(Slot by) {
        for (Slot s : slots) if (s != by && s.wants) return true;
        return false;
    }

    // ------------------------------------------------------------------ the arbiter

    private static void startArbiter() {
        hasArbiter = true;
        ThreadGroup top = group;
        while (top.getParent() != null) top = top.getParent();
        Thread arbiter = new Arbiter(top);
        arbiter.setDaemon(true);
        arbiter.start();
    }

    private static final class Arbiter extends Thread {
        Arbiter(ThreadGroup group) {
            super(group, "polypath arbiter");
        }

        @Override
        public void run() {
            arbitrate();
        }
    }

    private static void arbitrate() {
        int still = 0;
        int wanted = 0;
        long since = 0;
        while (true) {
            synchronized (LOCK) {
                Thread t = RT.owner;
                Slot holder = t == null ? null : slot(t);
                if (holder == null || !isWanted(holder)) {
                    still = 0;
                    sleep(holder == null ? 1 : 0);
                    continue;
                }
                int asked = holder.asked;
                if (!isAway(holder)) {
                    still = 0;
                } else {
                    int now = wanting();
                    if (still == 0 || now != wanted) since = System.nanoTime();
                    boolean isSettled = isSettled(t) || System.nanoTime() - since > PATIENCE;
                    still = isSettled && now == wanted ? still + 1 : 1;
                    wanted = now;
                    if (still > STILL) {
                        still = 0;
                        hand(holder, asked);
                    }
                }
            }
            LockSupport.parkNanos(LOOK);
        }
    }

    private static int wanting() {
        int n = 0;
        for (Slot s : slots) if (s.wants) n++;
        return n;
    }

    private static boolean isAway(Slot s) {
        if (s.yields) return true;
        // At its end the main thread looks for others now and then, and keeps the baton.
        return !(drains && s.thread == main) && waits(s.thread);
    }

    private static boolean waits(Thread t) {
        switch (t.getState()) {
            case BLOCKED:
            case WAITING:
            case TIMED_WAITING:
            case TERMINATED:
                return true;
            default:
                return false;
        }
    }

    /** Whether each other thread of the program waits: for the baton, or for something else. */
    private static boolean isSettled(Thread but) {
        for (Thread t : all()) if (t != null && t != but && !waits(t)) return false;
        return true;
    }

    private static Thread[] all() {
        Thread[] all = new Thread[2 * group.activeCount() + 8];
        group.enumerate(all);
        return all;
    }

    /** Takes the baton from one who waits, unless it has come back meanwhile, and gives it to the next. */
    private static void hand(Slot from, int asked) {
        RT.owner = null;
        // Either it sees that it has none, or we see that it has asked.
        if (!from.yields && from.asked != asked) {
            RT.owner = from.thread;
            LOCK.notifyAll();
            return;
        }
        Slot next = next(from);
        from.thrown = RT.swapThrown(next.thrown);
        next.yields = false;
        RT.owner = next.thread;
        LOCK.notifyAll();
    }

    private static Slot next(Slot from) {
        Slot[] all = slots;
        int at = 0;
        while (all[at] != from) at++;
        Slot last = null;
        for (int k = 1; k < all.length; k++) {
            Slot s = all[(at + k) % all.length];
            if (!s.wants) continue;
            if (!drains || s.thread != main) return s;
            last = s;
        }
        return last;
    }

    // ------------------------------------------------------------------ the end of a run

    /** The entry point is at its end: the threads that it has left behind go on, as far as they do without the clock, unless all are daemons. */
    public static void drain() {
        if (!hasOthers(false)) return;
        synchronized (LOCK) {
            Slot s = slot(main);
            drains = true;
            long end = System.nanoTime() + AFTER;
            int still = 0;
            while (hasOthers(false)) {
                if (isWantedByOthers(s)) {
                    s.yields = true;
                    await(s);
                    end = System.nanoTime() + AFTER;
                    still = 0;
                    continue;
                }
                still = hasOthers(true) ? 0 : still + 1;
                if (still > STILL || System.nanoTime() - end > 0) break;
                if (ended != null) throw ended;
                sleep(1);
            }
        }
    }

    private static boolean isWantedByOthers(Slot by) {
        for (Slot s : slots) if (s != by && s.wants && !s.thread.isDaemon()) return true;
        return false;
    }

    /** Whether there are other threads of the run that are no daemons, and, of those, some that do not wait for others. */
    private static boolean hasOthers(boolean thatMove) {
        for (Thread t : all()) {
            if (t == null || t == main || t.isDaemon()) continue;
            Slot s = slot(t);
            if (s != null && s.isLeft) continue;
            Thread.State state = t.getState();
            if (state == Thread.State.TERMINATED) continue;
            if (!thatMove || state == Thread.State.RUNNABLE || state == Thread.State.TIMED_WAITING && !isIdle(t)) return true;
        }
        return false;
    }

    /** Whether a thread waits, for some time, for work that nobody has. */
    private static boolean isIdle(Thread t) {
        ExecutorService pool = pool(t);
        if (!(pool instanceof ThreadPoolExecutor)) return false;
        ThreadPoolExecutor p = (ThreadPoolExecutor) pool;
        return p.getActiveCount() == 0 && p.getQueue().isEmpty();
    }

    /** The run is over, whatever its threads do: the main thread works for us again. */
    static void take() {
        synchronized (LOCK) {
            isOver = true;
            RT.owner = null;
            RT.paused = main;
            for (Thread t : all()) {
                if (t == null || t == main) continue;
                add(t).isLeft = true;
                // Also one that has not come to woven code yet: what it would have done is left out.
                many = true;
            }
            LOCK.notifyAll();
        }
        // What was to wake it.
        Thread.interrupted();
    }

    /** How a thread has ended the run; null while none has. */
    public static RunEnd ended() {
        return ended;
    }

    /** An exception has left the code of a thread. */
    public static void uncaught(Thread t, Throwable e) {
        synchronized (LOCK) {
            Slot s = slot(t);
            boolean isOver = s != null && s.isLeft || e instanceof RunEnd || e instanceof ThreadDeath;
            if (uncaught == null && !isOver && isProgram(t)) uncaught = e;
        }
    }

    /** The first exception that has left the code of another thread. */
    public static Throwable uncaught() {
        return uncaught;
    }

    /** Whether the program had several threads. */
    public static boolean wereMany() {
        return many;
    }

    /** The threads that a run has left behind end. Whether they did. */
    public static boolean end() {
        long end = System.nanoTime() + ENDS;
        for (int round = 0; ; round++) {
            boolean any = false;
            for (Thread t : all()) {
                if (t == null || t == main || t.getState() == Thread.State.TERMINATED) continue;
                // A pool of the JDK's own, which later runs need.
                if (t.getName().equals("CompletableFutureDelayScheduler")) return false;
                any = true;
                if (round % 16 == 0) bid(t, round > 0);
            }
            if (!any) return true;
            if (System.nanoTime() - end > 0) return false;
            LockSupport.parkNanos(4 * LOOK);
        }
    }

    @SuppressWarnings({"deprecation", "removal"})
    private static void bid(Thread t, boolean again) {
        // A pool would make new threads in the place of those that end.
        ExecutorService pool = pool(t);
        if (pool != null) pool.shutdownNow();
        t.interrupt();
        if (again) t.stop();
    }

    /** The pool that a thread works for. */
    private static ExecutorService pool(Thread t) {
        if (t instanceof ForkJoinWorkerThread) return ((ForkJoinWorkerThread) t).getPool();
        try {
            Field target = Thread.class.getDeclaredField("target");
            target.setAccessible(true);
            Object worker = target.get(t);
            if (worker == null || !worker.getClass().getName().equals(ThreadPoolExecutor.class.getName() + "$Worker")) return null;
            Field pool = worker.getClass().getDeclaredField("this$0");
            pool.setAccessible(true);
            return (ExecutorService) pool.get(worker);
        } catch (ReflectiveOperationException e) {
            // Another JDK: the thread is stopped.
            return null;
        }
    }
}
