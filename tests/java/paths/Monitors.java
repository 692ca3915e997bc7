// every
import java.util.ArrayDeque;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;

/** Threads that wait for each other: monitors, queues, locks, a flag that one looks at again and again. */
public class Monitors {
    private static final class Box {
        private final ArrayDeque<Integer> items = new ArrayDeque<>();

        synchronized void put(int item) throws InterruptedException {
            while (items.size() >= 2) wait();
            items.add(item);
            notifyAll();
        }

        synchronized int take() throws InterruptedException {
            while (items.isEmpty()) wait();
            int item = items.remove();
            notifyAll();
            return item;
        }
    }

    private static volatile boolean isReady;

    static int path(byte a, boolean c, boolean d) throws InterruptedException {
        int b = c ? 77 : d ? 12 : 3;
        Box box = new Box();
        Thread producer = new Thread(() -> {
            try {
                for (int k = 0; k < 4; k++) box.put(a + k);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        producer.start();
        int sum = 0;
        for (int k = 0; k < 4; k++) sum += box.take();
        producer.join();
        ArrayBlockingQueue<String> queue = new ArrayBlockingQueue<>(1);
        ReentrantLock lock = new ReentrantLock();
        int[] shared = new int[1];
        Thread other = new Thread(() -> {
            lock.lock();
            try {
                shared[0] += b > 9 ? 1 : 2;
            } finally {
                lock.unlock();
            }
            queue.add(b == 77 ? "yes" : "no");
            isReady = true;
        });
        isReady = false;
        other.start();
        String word;
        try {
            word = queue.take();
        } finally {
            while (!isReady) Thread.onSpinWait();
        }
        lock.lock();
        try {
            shared[0] *= 10;
        } finally {
            lock.unlock();
        }
        if (sum == 4 * 30 + 6) return 1;
        return shared[0] + (word.equals("yes") ? 3 : 4);
    }
}
