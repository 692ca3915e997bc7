// complete
public class Switches {
    static int path(byte a, byte b) {
        int result;
        switch (a) {
            case 1: case 2: result = 10; break;
            case 4: result = 20; break;
            case -7: result = 30; break;
            default: result = 40;
        }
        switch (b * 1000) {
            case 5000: return result + 1;
            case -128000: return result + 2;
            default: return result;
        }
    }
}
