// complete
public class Letters {
    static int path(char c) {
        if (c >= 128) return 0;
        if (Character.isDigit(c)) return Character.getNumericValue(c) > 4 ? 11 : 10;
        if (Character.isUpperCase(c)) return Character.toLowerCase(c) == 'q' ? 1 : 2;
        if (Character.isWhitespace(c)) return 3;
        if (Character.digit(c, 16) == 11) return 4;
        return Character.isLetterOrDigit(c) ? 5 : Character.toString(c).equals("#") ? 6 : 7;
    }
}
