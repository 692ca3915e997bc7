import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that a method starts: how they end it, and what they leave behind. */
public class Started {
    private static int shared;

    /** An error in a thread that nobody waits for. */
    static int asserts(byte x) {
        new Thread(() -> {
            assert x != 77 : "unlucky";
        }).start();
        return x < 0 ? 1 : 2;
    }

    /** A pool's thread ends the process; whoever waits for it gets no chance. */
    static int exits(byte x) throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        Future<?> done = pool.submit(() -> {
            if (x == 5) System.exit(3);
        });
        try {
            done.get();
        } catch (Throwable e) {
            return 9;
        } finally {
            pool.shutdown();
        }
        return 4;
    }

    /** The same through a call by reflection. */
    static int reflects(byte x) throws Exception {
        try {
            return (Integer) Started.class.getDeclaredMethod("leave", byte.class).invoke(null, x);
        } catch (Throwable e) {
            return 9;
        }
    }

    static int leave(byte x) {
        if (x == 5) System.exit(3);
        return 4;
    }

    /** A daemon that never ends, beside a thread that does, and a timer. */
    static int spins(byte x) throws InterruptedException {
        Thread daemon = new Thread(() -> {
            while (true) shared++;
        });
        daemon.setDaemon(true);
        daemon.start();
        new java.util.Timer().schedule(new java.util.TimerTask() {
            @Override
            public void run() {
                shared += 2;
            }
        }, 1_000_000);
        int[] result = new int[1];
        Thread thread = new Thread(() -> result[0] = x == 9 ? 1 : 2);
        thread.start();
        thread.join();
        return result[0];
    }

    /** A daemon that has hardly begun when the method ends. */
    static int leaves(byte x) {
        Thread daemon = new Thread(() -> shared = x == 77 ? 1 : 2);
        daemon.setDaemon(true);
        daemon.start();
        return 7;
    }

    /** A thread that no other one waits for takes all steps. */
    static int loops(byte x) throws InterruptedException {
        Thread thread = new Thread(() -> {
            for (int k = 0; k < 10 || x == 3; k++) shared++;
        });
        thread.start();
        thread.join();
        return 7;
    }

    /** Two that wait for each other. */
    static int waits(byte x) throws InterruptedException {
        Object lock = new Object();
        Thread thread = new Thread(() -> {
            synchronized (lock) {
                try {
                    if (x == 3) lock.wait();
                } catch (InterruptedException e) {
                    shared = 1;
                }
            }
        });
        thread.start();
        thread.join();
        return 7;
    }

    /** The thread of the entry point is interrupted, which is no part of the next run. */
    static int interrupts(byte x) throws InterruptedException {
        Thread main = Thread.currentThread();
        Thread thread = new Thread(() -> {
            if (x > 100) main.interrupt();
        });
        thread.start();
        try {
            thread.join();
            Thread.sleep(1);
        } catch (InterruptedException e) {
            return 1;
        }
        return 2;
    }
}
