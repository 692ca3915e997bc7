// complete
public class Sizes {
    static int path(byte n) {
        if (n > 3) return -1;
        int[] a = new int[n];
        for (int i = 0; i < a.length; i++) a[i] = n;
        return a.length;
    }
}
