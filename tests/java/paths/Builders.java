// complete
public class Builders {
    static int path(byte a, boolean b) {
        StringBuilder s = new StringBuilder("<>");
        s.insert(1, a).append(b).append((char) ('a' + (a & 3))).reverse();
        if (s.toString().equals("ceurt>24-<")) return 1;
        s.setLength(3);
        if (s.charAt(0) == 'd') s.deleteCharAt(0);
        s.replace(0, 1, "..");
        return s.indexOf("es") == 2 ? 2 : s.length();
    }
}
