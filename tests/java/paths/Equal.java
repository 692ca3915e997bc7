// complete
import java.util.HashMap;
import java.util.Map;

/** Strings that are equal, with characters of input on either side and in both, and their hashes. */
public class Equal {
    static int path(char a) {
        String low = "" + (char) (a & 15) + (char) (a >> 4 & 15) + "c";
        String high = (char) (a >> 8 & 15) + "\n" + (char) (a >> 12 & 127);
        int result = low.equals(high) ? 1 : 0;
        result = 2 * result + ("\t\nc".equals(low) ? 1 : 0);
        result = 2 * result + (high.equals("\t\n\t") ? 1 : 0);
        result = 2 * result + (low.equals("none") || low.equals(high + "x") ? 1 : 0);
        Map<String, Integer> numbers = new HashMap<>();
        numbers.put(low, 1);
        numbers.put("\u0003\u0004c", 2);
        return 10 * result + numbers.size() + numbers.getOrDefault(high, 3);
    }
}
