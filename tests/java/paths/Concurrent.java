// complete
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

public class Concurrent {
    static int path(byte a, byte b) {
        Map<Integer, Integer> map = new ConcurrentHashMap<>();
        map.put(3, 4);
        map.merge(3, (int) b, Integer::sum);
        Integer found = map.get((int) a);
        if (found != null) return found == 44 ? 1 : 2;
        Queue<Integer> queue = new ConcurrentLinkedQueue<>();
        queue.add(a + 1);
        if (queue.poll() == 50) return 3;
        List<Byte> list = new CopyOnWriteArrayList<>();
        list.add(b);
        return list.contains((byte) -5) ? 4 : 5;
    }
}
