// complete
import java.util.ArrayList;
import java.util.List;

public class Boxes {
    static int path(byte a) {
        List<Integer> list = new ArrayList<>();
        list.add((int) a);
        return list.get(0) == 99 ? 1 : 0;
    }
}
