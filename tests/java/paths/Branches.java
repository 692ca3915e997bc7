// complete
public class Branches {
    static int path(byte a, byte b) {
        int result = 0;
        if (a < b) result += 1;
        if (a + b == 100) result += 2;
        if ((a ^ b) == 0x55) result += 4;
        if (a * b > 5000) result += 8;
        return result;
    }
}
