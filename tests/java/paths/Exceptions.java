// complete
public class Exceptions {
    static int path(byte a, byte b) {
        int[] table = new int[4];
        int result = 0;
        try {
            result = 100 / a;
            table[b] = 5;
            if (result == 3) throw new IllegalStateException();
            result = 1;
        } catch (ArithmeticException e) {
            result = 2;
        } catch (IllegalStateException e) {
            result = 3;
        } finally {
            result += 10;
        }
        Object[] some = new Object[b & 3];
        some[1] = "x";
        if (a == 77) ((Integer) some[1]).intValue();
        return result;
    }
}
