package lib;

/** One of its two implementations is for users. */
public interface Cost {
    int of(int n);

    final class Fixed implements Cost {
        private final int each;

        public Fixed(int each) {
            this.each = each;
        }

        @Override
        public int of(int n) {
            return each;
        }
    }

    static int twice(Cost cost) {
        return cost == null ? 0 : cost.of(1) + cost.of(2);
    }
}

/** Fails when it is asked twice. */
class Once implements Cost {
    private int left = 1;

    @Override
    public int of(int n) {
        return 10 / left--;
    }
}
