// complete
public class Records {
    record Point(byte x, int y, String name) {}
    record Wide(long a, float f, double d) {}

    static int path(byte a, byte b) {
        Point p = new Point(a, b, "p");
        if (p.equals(new Point((byte) 3, 4, "p"))) return 1;
        if (p.hashCode() == new Point((byte) 9, 9, "p").hashCode() && a != 9) return 2;
        Wide w = new Wide(a, b, 1);
        if (w.equals(new Wide(-5, -6f, 1.0))) return 3;
        if (new Point(a, 0, null).toString().equals("Point[x=-7, y=0, name=null]")) return 4;
        return w.f() == 12.0f ? 5 : 6;
    }
}
