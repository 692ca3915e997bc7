// complete
public class Arrays {
    private static final short[] TABLE = {7, -3, 900, 12};

    static int path(byte a, byte b) {
        int[] values = {1, 2, 3, 4, 5, 6, 7, 8};
        values[a & 7] = b;
        int[] copy = values.clone();
        System.arraycopy(values, 2, copy, 0, 3);
        int result = 0;
        if (copy[0] == 100) result += 1;
        if (copy[3] == b && b > 50) result += 2;
        if (TABLE[b & 3] == 900) result += 4;
        boolean[] flags = new boolean[3];
        flags[1] = a > 100;
        if (flags[(a & 1) + 1]) result += 8;
        String[] names = {"x", "yy", "zzz"};
        if (a >= 0 && a < 3 && names[a] == "zzz") result += 16;
        return result;
    }
}
