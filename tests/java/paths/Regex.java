// complete
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public class Regex {
    static int path(byte a, byte b) {
        String s = "x" + (char) (a & 127) + (char) (b & 127);
        if (s.matches("x[0-9]q?")) return 1;
        if (s.matches("x\\d[a-c]")) return 2;
        Matcher m = Pattern.compile("(\\w)([!#])$").matcher(s);
        return m.find() && m.group(1).equals("Z") ? 3 : 4;
    }
}
