// complete
public class Strings {
    static int path(char a) {
        String s = "x" + a;
        return s.equals("xq") ? 1 : 0;
    }
}
