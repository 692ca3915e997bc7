// complete
public class Inner {
    private int total;

    private class Part {
        private final int weight;

        Part(int weight) { this.weight = weight; total += weight; }

        class Deep { int sum() { return weight + total; } }
    }

    static int path(byte a, byte b) {
        Inner outer = new Inner();
        Part part = outer.new Part(a);
        outer.new Part(b);
        Part.Deep deep = part.new Deep();
        class Local { int twice() { return 2 * b + a; } }
        Object anonymous = new Object() {
            @Override
            public int hashCode() { return a - b; }
        };
        if (deep.sum() == 17) return 1;
        if (new Local().twice() == -41) return 2;
        return anonymous.hashCode() == 99 ? 3 : 4;
    }
}
