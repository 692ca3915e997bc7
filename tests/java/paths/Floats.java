// complete
public class Floats {
    static int path(byte a, byte b) {
        float x = a / 2f;
        double y = b * 0.25;
        int result = 0;
        if (x > 10.25f) result += 1;
        if (x + y == 12.5) result += 2;
        if ((int) (x * x) == 49) result += 4;
        if (y < -31.5) result += 8;
        return result;
    }
}
