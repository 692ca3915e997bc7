package lib;

/** No public method makes one. */
public final class Token {
    private final String text;

    Token(String text) {
        this.text = text.isEmpty() ? null : text;
    }

    public int length() {
        return text.length();
    }

    public static boolean is(Token token, String text) {
        return token == null && text.equals("a");
    }

    public static boolean is(Token token, Object other) {
        return token == other;
    }

    /** Whether there is a token does not matter to the error. */
    public static int share(Token token, int of) {
        if (token != null && of == 3) return 0;
        return 100 / of;
    }
}
