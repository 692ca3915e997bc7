// every
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Pools, futures and latches; one pool is never shut down. */
public class Pools {
    static int path(byte a, boolean c, boolean d) throws Exception {
        int b = (c ? 'A' : '9') - (d ? 200 : 0);
        ExecutorService pool = Executors.newFixedThreadPool(2);
        Future<Integer> quotient = pool.submit(() -> 100 / a);
        Future<Boolean> letter = pool.submit(() -> Character.isLetter((char) (b & 127)));
        CountDownLatch latch = new CountDownLatch(1);
        int[] seen = new int[1];
        pool.execute(() -> {
            seen[0] = a ^ b;
            latch.countDown();
        });
        latch.await();
        CompletableFuture<Integer> later = CompletableFuture.supplyAsync(() -> b < 0 ? 1 : 2);
        int kind = later.get();
        try {
            if (quotient.get() == 25) return 1;
        } catch (ExecutionException e) {
            return e.getCause() instanceof ArithmeticException ? 2 : 3;
        } finally {
            if (a != 7) pool.shutdown();
        }
        if (seen[0] == 0x55) return 4;
        return (letter.get() ? 10 : 20) + kind;
    }
}
