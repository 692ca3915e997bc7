/** Each arithmetic instruction of the JVM, conversions, and the ways of a value through fields, arrays and calls. */
public class Operations {
    byte fieldB;
    short fieldS;
    char fieldC;
    boolean fieldZ;
    int fieldI;
    static long fieldJ;
    float fieldF;
    double fieldD;

    static long sink;

    static void keep(long x) {
        sink ^= x;
    }

    static void all(int a, int b, long c, long d, float e, float f, double g, double h) {
        ints(a, b);
        longs(c, d, a);
        floats(e, f);
        doubles(g, h);
        convert(a, c, e, g);
        new Operations().ways(a, c, e, g);
        functions(a, b, c, d, e, f, g, h);
    }

    static void ints(int a, int b) {
        keep(a + b);
        keep(a - b);
        keep(a * b);
        if (b != 0) {
            keep(a / b);
            keep(a % b);
        }
        keep(-a);
        keep(a << b);
        keep(a >> b);
        keep(a >>> b);
        keep(a & b);
        keep(a | b);
        keep(a ^ b);
        keep(a + 7);
        keep(7 - a);
        keep(a << 3);
        keep(~a);
        a += 1000;
        a++;
        keep(a);
    }

    static void longs(long c, long d, int n) {
        keep(c + d);
        keep(c - d);
        keep(c * d);
        if (d != 0) {
            keep(c / d);
            keep(c % d);
        }
        keep(-c);
        keep(c << n);
        keep(c >> n);
        keep(c >>> n);
        keep(1L << n);
        keep(c >>> 33);
        keep(c & d);
        keep(c | d);
        keep(c ^ d);
        keep(c < d ? 1 : c > d ? 2 : 3);
    }

    static void floats(float e, float f) {
        keep((int) (e + f));
        keep((int) (e - f));
        keep((int) (e * f));
        keep((int) (e / f));
        keep((int) (e % f));
        keep((int) -e);
        keep(e < f ? 1 : 2);
        keep(e > f ? 1 : 2);
        keep(e == f ? 1 : 2);
        keep(e <= f ? 1 : 2);
    }

    static void doubles(double g, double h) {
        keep((long) (g + h));
        keep((long) (g - h));
        keep((long) (g * h));
        keep((long) (g / h));
        keep((long) (g % h));
        keep((long) -g);
        keep(g < h ? 1 : 2);
        keep(g > h ? 1 : 2);
        keep(g != h ? 1 : 2);
        keep(g >= h ? 1 : 2);
    }

    static void convert(int a, long c, float e, double g) {
        keep((long) a);
        keep((int) (float) a);
        keep((int) (double) a);
        keep((int) c);
        keep((long) (float) c);
        keep((long) (double) c);
        keep((int) e);
        keep((long) e);
        keep((long) (double) e);
        keep((int) g);
        keep((long) g);
        keep((int) (float) g);
        keep((byte) a);
        keep((char) a);
        keep((short) a);
        keep(Float.floatToRawIntBits(e));
        keep(Double.doubleToRawLongBits(g));
    }

    void ways(int a, long c, float e, double g) {
        fieldB = (byte) a;
        fieldS = (short) a;
        fieldC = (char) a;
        fieldZ = a > 5;
        fieldI = a;
        fieldJ = c;
        fieldF = e;
        fieldD = g;
        keep(fieldB + fieldS + fieldC + fieldI + fieldJ);
        keep(fieldZ ? 1 : 0);
        keep((long) (fieldF + fieldD));
        int i = a & 3;
        byte[] bs = {1, -2, 3, (byte) a};
        short[] ss = {1, -2, 3, (short) a};
        char[] cs = {'a', 'b', '\uffff', (char) a};
        boolean[] zs = {true, false, true, a > 7};
        int[] is = {1, -2, 3, a};
        long[] js = {1, -2, 3, c};
        float[] fs = {1, -2, 3, e};
        double[] ds = {1, -2, 3, g};
        keep(bs[i] + ss[i] + cs[i] + is[i] + js[i]);
        keep(zs[i] ? 1 : 0);
        keep((long) (fs[i] + ds[i]));
        is[i] = a * 3;
        js[i] = c * 3;
        bs[i] = (byte) (a * 3);
        ds[i] = g * 3;
        keep(is[0] + is[1] + is[3] + js[2] + bs[1]);
        keep((long) ds[3]);
        int[] copy = is.clone();
        System.arraycopy(is, 0, copy, 1, 3);
        keep(copy[1] + copy[3]);
        keep(pick(a, c, e, g));
        long[][] grid = new long[2][2];
        grid[1][0] = c;
        keep(grid[1][0]++ + ++grid[1][0]);
    }

    private static long pick(int a, long c, float e, double g) {
        return a + c + (long) e + (long) g;
    }

    static void functions(int a, int b, long c, long d, float e, float f, double g, double h) {
        keep(Math.max(a, b) + Math.min(a, 7) + Math.abs(a));
        keep(Math.max(c, d) - Math.min(-3L, d) + Math.abs(c));
        keep(Float.floatToRawIntBits(Math.max(e, f)) + Float.floatToRawIntBits(Math.min(e, -0.0f)) + (long) Math.abs(f));
        keep(Double.doubleToRawLongBits(Math.max(g, h)) + Double.doubleToRawLongBits(Math.min(0.0, h)));
        keep(Double.doubleToRawLongBits(Math.abs(g)) + (long) Math.sqrt(h));
        keep(Double.doubleToRawLongBits(Math.floor(g)) + Double.doubleToRawLongBits(Math.ceil(g)));
        keep(Double.doubleToRawLongBits(Math.rint(h)) + Math.round(g));
        Byte box = (byte) a;
        Long wide = c;
        Character letter = (char) b;
        keep(box + wide + letter);
        keep(wide == Long.valueOf(d) ? 1 : 0);
    }
}
