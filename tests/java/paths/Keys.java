// complete
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

public class Keys {
    static class Point {
        final byte x, y;

        Point(byte x, byte y) { this.x = x; this.y = y; }

        @Override
        public int hashCode() { return x < 0 ? 1 : 2; }

        @Override
        public boolean equals(Object o) { return o instanceof Point && ((Point) o).x == x && ((Point) o).y == y; }
    }

    static int path(byte a, byte b) {
        Map<Object, Integer> map = new HashMap<>();
        map.put(new Point((byte) 3, (byte) 4), 1);
        map.put(new Point((byte) -3, (byte) 9), 2);
        Integer found = map.get(new Point(a, b));
        if (found != null) return found;
        return Objects.equals(new Point(a, a), new Point((byte) 50, b)) ? 3 : 4;
    }
}
