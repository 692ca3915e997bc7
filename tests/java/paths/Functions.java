// complete
public class Functions {
    static int path(byte a, byte b) {
        if (Math.sqrt(a) == 9.0) return 1;
        if (Math.max(a, b) == 100 && Math.min(a, b) == -100) return 2;
        if (Math.abs((float) a) == 13.0f) return 3;
        if (Math.floor(a / 4.0) == -8 && Math.ceil(b / 3.0) == 5) return 4;
        if (Math.rint(b + 0.5) == 34 && Math.round(a / 2.0f) == 17) return 5;
        if (Math.floorMod(a, 10) == 7 && Math.abs(b) == 128) return 6;
        if (Math.signum((double) a) < 0 && Math.max(a, (double) b) == 0.0) return 7;
        return Double.compare(Math.min(-0.0, a), 0.0) < 0 ? 8 : 9;
    }
}
