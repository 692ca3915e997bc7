// complete
import java.io.*;

/** Numbers in the messages of exceptions that the JVM raises. */
public class Messages {
    static class Mine extends RuntimeException {
        Mine(Throwable cause) { super(cause); }

        @Override
        public String getMessage() { return "mine: " + super.getMessage(); }
    }

    static int path(byte x) {
        int[] a = new int[3];
        String[] s = new String[2];
        try {
            if (x > 90) s[x - 60] = "x";
            else if (x > 60) a = new int[10 - x];
            else if (x > 0) a[x]++;
            else if (x > -50) return read(a, x);
            else wrap(a, x);
        } catch (ArrayIndexOutOfBoundsException e) {
            if (e.getMessage().equals("Index 17 out of bounds for length 3")) return 1;
            return e.toString().endsWith("Index 40 out of bounds for length 2") ? 2 : 3;
        } catch (NegativeArraySizeException e) {
            StringWriter text = new StringWriter();
            e.printStackTrace(new PrintWriter(text));
            return text.toString().startsWith("java.lang.NegativeArraySizeException: -61") ? 4 : 5;
        } catch (Mine e) {
            return e.getMessage().startsWith("mine: java.lang.ArrayIndexOutOfBoundsException: Index -77 out") ? 6 : 7;
        }
        return 8;
    }

    private static int read(int[] a, int x) {
        try {
            return a[x] == 0 ? 9 : 10;
        } catch (RuntimeException e) {
            // Nobody reads the message, so that its digits make no paths.
            return e.getStackTrace()[0].getMethodName().equals("read") ? 11 : 12;
        }
    }

    private static void wrap(int[] a, int x) {
        try {
            a[0] = a[x];
        } catch (RuntimeException e) {
            throw new Mine(e);
        }
    }
}
