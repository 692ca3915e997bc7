package bank;

/** Input of reference types. */
public class Shapes {
    interface Shape { int area(); }
    record Square(byte side) implements Shape { public int area() { return side * side; } }
    static class Twice implements Shape {
        private final Shape of;
        Twice(Square of) { this.of = of; }
        public int area() { return of == null ? 0 : 2 * of.area(); }
    }

    public static int area(Shape shape) {
        if (shape == null) return -1;
        return shape.area() == 49 ? 1 : shape instanceof Twice && shape.area() == 50 ? 2 : 3;
    }

    public static String names(String[] names, Boolean on) {
        if (on == null) return "null";
        return names.length == 2 && names[0].equals("a") && names[1].isEmpty() ? "found" : "other";
    }

    public static int sizes(java.util.Map<String, Integer> map) {
        return map == null ? -1 : map.size() == 1 && map.containsKey("k") ? 5 : map.size();
    }

    /** Input of this type cannot be made. */
    public static int refused(Thread thread) {
        return thread == null ? 0 : 1;
    }
}
