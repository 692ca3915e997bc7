// complete
public class Enums {
    enum Color { RED, GREEN { @Override int weight() { return 5; } }, BLUE; int weight() { return 1; } }
    static int calls;

    static int path(byte a, boolean b) {
        Color c = a == 3 ? Color.RED : b ? Color.GREEN : Color.BLUE;
        calls = a + 1;
        switch (c) {
            case RED: return calls;
            case GREEN: return 100 + c.weight();
            default: return 200 + c.weight();
        }
    }
}
