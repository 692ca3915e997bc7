// complete
/** Powers that are products, beside those that are none. */
public class Powers {
    static int path(byte a, byte b) {
        double x = a / 4.0;
        double square = Math.pow(x, 2);
        if (square == 39.0625) return 1;
        if (Math.pow(x, 1) == -3.25 && Math.pow(b, 0.0) == 1) return 2;
        if (b == 3) return Math.pow(1.5, 2.5) > 2.7 ? 3 : 4;
        return square + Math.pow(b, 2) > 20_000 ? 5 : 6;
    }
}
