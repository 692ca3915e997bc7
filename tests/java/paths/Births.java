// complete
/** Objects that are made where a block begins, with arguments that branch before the constructor is called. */
public class Births {
    static class Pair {
        final int sum;

        Pair(int a, int b) {
            sum = a + b;
        }
    }

    static final class Odd extends Pair {
        Odd(int a) {
            super(a > 40 ? a : -a, 1);
        }
    }

    static Pair last = new Pair(0, 0);

    public static int path(byte a, boolean b) {
        Pair p = new Pair(a > 7 ? new Odd(a).sum : 3, b ? new Pair(a < 0 ? 5 : 6, 2).sum : 0);
        do {
            last = b ? new Pair(1, 1) : a < 100 ? new Odd(2) : new Pair(3, 3);
            b = !b;
        } while (b);
        return 100 * (p.sum > 40 ? 1 : p.sum < 0 ? 2 : 3) + last.sum;
    }
}
