// complete
import java.util.Comparator;

public class Defaults {
    interface Shape {
        int side();

        default int area() { return side() * side(); }

        static Shape of(int n) { return () -> n; }
    }

    interface Named { default int area() { return -1; } }

    record Square(int side) implements Shape, Named {
        @Override
        public int area() { return Shape.super.area() + Named.super.area(); }
    }

    static int path(byte a, byte b) {
        if (Shape.of(a).area() == 49) return 1;
        if (new Square(b).area() == 80) return 2;
        Comparator<Integer> order = Comparator.<Integer>naturalOrder().reversed().thenComparing(x -> -x);
        return order.compare((int) a, (int) b) < 0 ? 3 : 4;
    }
}
