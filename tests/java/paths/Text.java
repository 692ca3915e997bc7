// complete
public class Text {
    static int path(byte a, byte b) {
        char[] letters = {(char) (a & 127), (char) (b & 127)};
        String s = new String(letters);
        if (s.equals("ok")) return 1;
        if (s.startsWith("+") && s.charAt(1) == '7') return 2;
        if (s.toUpperCase().indexOf("Q") == 1) return 3;
        if (s.compareTo("zz") > 0) return 4;
        return new StringBuilder().append(a > 0).append(s.trim().length()).toString().equals("true0") ? 5 : 6;
    }
}
