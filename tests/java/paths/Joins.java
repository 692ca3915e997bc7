// every
/** Threads that are waited for: values, branches and exceptions in them. */
public class Joins {
    private static int sum;

    private static final class Adds extends Thread {
        private final int of;

        Adds(int of) {
            this.of = of;
        }

        @Override
        public void run() {
            if (of > 50) sum += 2 * of;
            else sum += of;
        }
    }

    static int path(byte a, boolean c, boolean d) throws InterruptedException {
        sum = 0;
        int b = (c ? 1 : 0) + (d ? 2 : 0);
        Thread first = new Adds(a);
        first.start();
        first.join();
        int[] kept = new int[1];
        Thread second = new Thread(() -> {
            for (int k = 0; k < b; k++) kept[0] += k + 1;
        });
        second.start();
        second.join();
        if (sum == 102) return 1;
        if (sum > 150) return 2 + kept[0];
        return kept[0] == 3 ? 20 : 21;
    }
}
