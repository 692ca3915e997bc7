package lib;

/** What happens with long input only. */
public final class Longer {
    private Longer() {}

    /** Two fields of two characters, and a comma. */
    public static int fields(String line) {
        if (line.length() != 6) return 0;
        int comma = line.indexOf(',');
        if (comma != 3) return 1;
        return line.charAt(5) == '!' ? 1 / (comma - 3) : 2;
    }

    /** Never looked at. */
    public static int unread(String text, int[] all) {
        return 1;
    }

    public static int far(int[] all) {
        return all.length == 11 && all[9] == 3 ? 1 / (all[9] - 3) : all.length;
    }

    public static String within(String letters) {
        return letters.substring(9, 13);
    }

    /** A part of what is there, and one more. */
    public static int part(byte[] all, int at, int n) {
        return at < 1 || n < 1 || n > all.length - at ? 0 : all[at + n];
    }
}
