// complete
public class Blocks {
    static int path(byte a) {
        String text = """
            first line
              second "quoted" \
            joined
            """;
        int at = a;
        if (at < 0 || at >= text.length()) return 1;
        char c = text.charAt(at);
        if (c == '"') return 2;
        if (c == '\n') return 3;
        return text.lines().count() == 2 && c == 'j' ? 4 : 5;
    }
}
