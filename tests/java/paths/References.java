// complete
import java.util.function.*;

public class References {
    interface Three<A, B, C, R> { R apply(A a, B b, C c); }

    private final int base;

    References(int base) { this.base = base; }

    private int plus(int x) { return base + x; }

    static long widen(int a, long b) { return a * b; }

    static int path(byte a, byte b) {
        Function<Integer, References> make = References::new;
        IntUnaryOperator bound = make.apply((int) a)::plus;
        BiFunction<Integer, Long, Long> boxed = References::widen;
        ToIntBiFunction<References, Integer> unbound = References::plus;
        IntFunction<byte[]> array = byte[]::new;
        Supplier<Three<Byte, Byte, Boolean, Integer>> nested = () -> (x, y, z) -> z ? x - y : x + y;
        Runnable nothing = () -> make.apply(1);
        nothing.run();
        if (bound.applyAsInt(3) == 20) return 1;
        if (boxed.apply((int) a, (long) b) == 21L) return 2;
        if (unbound.applyAsInt(new References(b), 1) == 5) return 3;
        byte[] room = array.apply(2);
        room[0] = a;
        Integer last = nested.get().apply(room[0], b, a > 100);
        return last == 7 ? 4 : last == -30 ? 5 : 6;
    }
}
