/** As many paths as there are sides of its elements: breadth first, half of them are open at once. */
public class Wide {
    static int ways(byte[] elements) {
        int n = 0;
        for (byte x : elements) {
            if (x > 3) n++;
        }
        return n;
    }
}
