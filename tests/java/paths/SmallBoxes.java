// complete
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class SmallBoxes {
    static int path(byte a, boolean b) {
        List<Object> all = new ArrayList<>();
        all.add(a);
        all.add((short) (a + 1));
        all.add((char) (a & 127));
        all.add(b);
        all.add((long) a);
        if (all.get(0).equals((byte) 9)) return 1;
        if ((Short) all.get(1) == -50) return 2;
        if ((Character) all.get(2) == 'q') return (Boolean) all.get(3) ? 3 : 4;
        Character letter = (Character) all.get(2);
        if (letter == Character.valueOf('r')) return 5;
        Map<Byte, Boolean> map = new HashMap<>();
        map.put((byte) 77, b);
        Boolean found = map.get(a);
        if (found != null) return found == Boolean.TRUE ? 6 : 7;
        return all.contains(-3L) ? 8 : 9;
    }
}
