// complete
public class Recursion {
    static int depth(int n) {
        if (n <= 0) return 0;
        return 1 + depth(n - 40);
    }

    static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    static int path(byte a) {
        if (a > 100 && gcd(a, 60) == 12) return -1;
        return depth(a);
    }
}
