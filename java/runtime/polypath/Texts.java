package polypath;

/**
 * Strings of input at which the program has not looked yet. How long such a string is, and whether each of its characters fits into one byte (which is
 * how it is kept), are decisions of the path when the program first reads its fields: until then all strings would be the same to it.
 */
final class Texts {
    private Texts() {}

    private static final int I2B = 145;
    private static final int ISHR = 122;
    private static final int IOR = 128;
    private static final int IF_ICMPGT = 163;
    /** The greatest character that is kept in one byte. */
    private static final int NARROW = 255;

    /** A string that was not looked at. */
    static final class Unread {
        private final String of;
        private final int length;
        /** Choices that led to its bound: id and value of each. */
        private final int[] longer;
        /** How much longer it is than the shortest within its bound; the id is 0 if that is no input. */
        private final int more;
        private final int moreId;
        /** Of the first character. */
        private final int first;
        private final boolean isWide;
        private final Unread next;

        private Unread(String of, int length, int[] longer, int more, int moreId, int first, boolean isWide, Unread next) {
            this.of = of;
            this.length = length;
            this.longer = longer;
            this.more = more;
            this.moreId = moreId;
            this.first = first;
            this.isWide = isWide;
            this.next = next;
        }
    }

    /** A string of these characters, which have the ids from `first` on, which is within the bound that these choices lead to, and so much longer than the shortest there. */
    static String make(char[] letters, int first, int[] longer, int more, int moreId, Ctx c) {
        boolean paused = RT.pause();
        String text;
        try {
            text = new String(letters);
        } finally {
            RT.resume(paused);
        }
        byte[] kept = (byte[]) RT.array(text);
        boolean isWide = kept.length > letters.length;
        if (letters.length > 0) {
            Shadows.Entry e = c.shadows.make(kept);
            for (int i = 0; i < letters.length; i++) {
                int low = c.unary(I2B, first + i);
                e.ids.set(isWide ? 2 * i : i, low);
                if (isWide) e.ids.set(2 * i + 1, c.unary(I2B, c.binary(ISHR, first + i, letters[i], 0, 8, false, false)));
            }
        }
        c.unread = new Unread(text, letters.length, longer, more, moreId, first, isWide, c.unread);
        return text;
    }

    /** The program reads a field of a string. */
    static void read(String s, Ctx c) {
        Unread found = c.unread;
        while (found != null && found.of != s) found = found.next;
        if (found == null) return;
        c.unread = without(c.unread, found);
        c.lose(Wire.BOUNDED_LENGTH, -1);
        for (int k = 0; k < found.longer.length; k += 2) c.put(Wire.VALUE | Wire.CAN_WAIT, -1, found.longer[k], found.longer[k + 1]);
        if (found.moreId != 0) c.put(Wire.VALUE, -1, found.moreId, found.more);
        int length = found.length;
        if (length == 0) return;
        // Some character is greater if and only if all of them together have a bit beyond.
        int any = found.first;
        for (int i = 1; i < length; i++) any = c.binary(IOR, any, 0, found.first + i, 0, false, false);
        c.branch(IF_ICMPGT, -1, any, 0, 0, NARROW, found.isWide);
    }

    /** There are as many as the call has strings: few. */
    private static Unread without(Unread all, Unread one) {
        if (all == one) return one.next;
        return new Unread(all.of, all.length, all.longer, all.more, all.moreId, all.first, all.isWide, without(all.next, one));
    }
}
