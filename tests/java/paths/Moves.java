// complete
/** Long arrays are copied into others and within themselves, forth and back: where the input of some elements comes to. */
public class Moves {
    static int path(byte a, boolean isForth) {
        byte[] line = new byte[1000];
        line[5] = a;
        line[300] = (byte) (a * 3);
        if (isForth) System.arraycopy(line, 0, line, 200, 700);
        else System.arraycopy(line, 4, line, 0, 900);
        byte[] other = new byte[700];
        other[700 - 1] = a;
        System.arraycopy(line, 190, other, 3, 600);
        System.arraycopy(new byte[300], 0, other, 400, 300);
        int result = isForth ? 1 : 0;
        for (int k : new int[] {1, 5, 205, 296, 300, 500}) result = 2 * result + (line[k] > 10 ? 1 : 0);
        for (int k : new int[] {18, 109, 313, 699}) result = 2 * result + (other[k] == 7 || other[k] == 21 ? 1 : 0);
        return result;
    }
}
