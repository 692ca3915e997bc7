// complete
public class Numbers {
    static int path(byte a, byte b) {
        if (Math.abs(a) == 77) return 1;
        if (Math.max(a, b) == 111) return 2;
        if (Integer.compare(a, b) > 0 && Long.signum(b) < 0) return 3;
        if (Math.floorMod(a, 7) == 6) return 4;
        try {
            return Math.addExact(a * 20_000_000, 1) > 0 ? 5 : 6;
        } catch (ArithmeticException e) {
            return 7;
        }
    }
}
