package lib;

/** Cuts a line into words, which nobody else can make. */
public final class Lexer {
    private final String line;
    private int at;

    public Lexer(String line) {
        this.line = line;
    }

    /** The next word; null at the end. */
    public Word next() {
        if (at >= line.length()) return null;
        int begin = at++;
        while (at < line.length() && line.charAt(at) != ' ') at++;
        return new Word(line.substring(begin, at));
    }

    public static final class Word {
        private final String text;

        Word(String text) {
            this.text = text;
        }

        public int share() {
            return text.isEmpty() ? 100 / text.length() : 100 / (3 - text.length());
        }
    }
}
