// complete
public class Objects {
    interface Shape { int area(int scale); default int twice(int scale) { return 2 * area(scale); } }
    static abstract class Base implements Shape { protected byte side; Base(byte side) { this.side = side; } }
    static class Square extends Base { Square(byte s) { super(s); } public int area(int k) { return side * side * k; } }
    static class Line extends Base { Line(byte s) { super(s); } public int area(int k) { return side; } }
    static class Counter { private int n; void add(int k) { n += k; } class Inner { int get() { return n; } } }

    static int path(byte a, byte b) {
        Shape s = a > 10 ? new Square(a) : new Line(b);
        int result = 0;
        if (s.twice(3) == 2 * 3 * 49) result = 1;
        if (s.area(1) == 121) result += 2;
        if (s.area(1) == 99) result += 4;
        Counter c = new Counter();
        c.add(b);
        c.add(1);
        if (c.new Inner().get() == 43) result += 8;
        return result;
    }
}
