/** Decisions that lead to code which the first run does not cover, at once or from within the library, and one into an exception. */
public class Distances {
    static int at(byte a, byte b) {
        int n = 0;
        if (a == 7) n++;
        if (Math.floorMod(a, 5) == 3) n += 2;
        int[] all = new int[4];
        all[b]++;
        return n + all[0];
    }
}
