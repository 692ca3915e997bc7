// loses
public class Clocks {
    static int path(byte a) {
        Thread t = new Thread(() -> { });
        t.setPriority(a & 1 | 2);
        return t.getPriority() == 3 ? 1 : 0;
    }
}
