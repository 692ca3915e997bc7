// complete
public class StringSwitches {
    static int path(byte a, byte b) {
        String s = "" + (char) (a & 127) + (char) (b & 127);
        switch (s) {
            case "ab": return 1;
            case "Aa":
            case "BB": return 2;
            case "c": return 3;
            default:
        }
        int n = switch (s.substring(1)) {
            case "x", "y" -> 4;
            case "z" -> { int k = a; yield k > 5 ? 5 : 6; }
            default -> 7;
        };
        return n;
    }
}
