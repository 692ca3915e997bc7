/** Many paths of different kinds. */
public class Mixed {
    static int bytes(byte[] b) {
        int sum = 0;
        for (int i = 0; i < b.length; i++) {
            if (b[i] > 20 * i) {
                sum += i;
            } else {
                sum -= 1;
            }
            switch (b[i] & 7) {
                case 3 -> sum ^= 5;
                case 5 -> sum *= 2;
                default -> { }
            }
            if (sum * b[i] > 77) {
                sum += 3;
            }
        }
        if (sum == 9) {
            throw new IllegalStateException("nine");
        }
        int[] few = new int[8];
        few[sum & 15] = 1;
        return 100 / (sum - 4);
    }

    /** Something of each path is given to code that no run sees into. */
    static int lost(byte[] b) {
        int result = bytes(b);
        if (b.length == 4 && b[0] == 1) {
            result += Double.hashCode(Math.sin(b[1]));
        }
        return result;
    }
}
