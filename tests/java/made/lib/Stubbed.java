package lib;

import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/** Takes what no class here implements. */
public final class Stubbed {
    private Stubbed() {}

    /** Nothing implements it. */
    public interface Source<T> {
        int next();

        T last();

        void close();

        default boolean hasMore() {
            return next() > 5;
        }
    }

    /** Only users extend it. */
    public abstract static class Shape {
        private final int least;

        protected Shape(int least) {
            this.least = least;
        }

        protected abstract int area();

        public int share() {
            return area() < least ? 1 : 100 / (area() - 7);
        }
    }

    public interface Check {
        boolean holds(String text);
    }

    public static int share(Source<Integer> source) {
        if (source == null) return -1;
        int n = 0;
        while (n < 2 && source.hasMore()) n++;
        if (n == 2 && source.last() != null && source.last() == 7) return 5;
        source.close();
        return 100 / source.next();
    }

    public static int any(Check check, String text) {
        return check == null ? 0 : check.holds(text) ? 1 : 2;
    }

    public static int apply(Function<String, Integer> f) {
        return f == null ? 0 : f.apply("a") == 42 ? 1 : 2;
    }

    public static int nested(Supplier<Supplier<Check>> all, BiFunction<Integer, Integer, Long> f, byte b) {
        if (all == null || f == null) return 0;
        Supplier<Check> one = all.get();
        Check check = one == null ? null : one.get();
        if (check != null && check.holds("") && !check.holds("a")) return 3;
        return f.apply(1, 2) != null && f.apply(3, 4) != null && f.apply(5, 6) != null && f.apply(7, 8) != null ? 1 : 2;
    }

    public static Object same(Check check) {
        return check;
    }
}
