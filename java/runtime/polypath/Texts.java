package polypath;

/**
 * Strings of input at which the program has not looked yet. Within which bound such a string's length is, and whether each of its characters fits into one
 * byte (which is how it is kept), are decisions of the path when the program first reads its fields: until then all strings would be the same to it. Its
 * length stays open ({@link Lengths}).
 */
final class Texts {
    private Texts() {}

    private static final int I2B = 145;
    private static final int ISUB = 100;
    private static final int ISHR = 122;
    private static final int IAND = 126;
    private static final int IOR = 128;
    private static final int IF_ICMPGT = 163;
    /** The greatest character that is kept in one byte. */
    private static final int NARROW = 255;

    /** A string that was not looked at. */
    static final class Unread {
        private final String of;
        private final Lengths.Length length;
        /** Of the first character. */
        private final int first;
        private final boolean isWide;
        /** Whether some character of the longest string of this bound is, which may stand behind the end of this one. */
        private final boolean isWider;
        private final Unread next;

        private Unread(String of, Lengths.Length length, int first, boolean isWide, boolean isWider, Unread next) {
            this.of = of;
            this.length = length;
            this.first = first;
            this.isWide = isWide;
            this.isWider = isWider;
            this.next = next;
        }
    }

    /** A string of the first of these characters, which have the ids from `first` on, and are as many as the longest string of its bound has. */
    static String make(long[] values, int first, Lengths.Length length, Ctx c) {
        char[] letters = new char[length.value()];
        for (int i = 0; i < letters.length; i++) letters[i] = (char) values[i];
        boolean isWider = false;
        for (long value : values) isWider |= value > NARROW;
        String text = RT.alone(letters);
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
        c.unread = new Unread(text, length, first, isWide, isWider, c.unread);
        return text;
    }

    /** The program reads a field of a string. */
    static void read(String s, Ctx c) {
        Unread found = c.unread;
        while (found != null && found.of != s) found = found.next;
        if (found == null) return;
        c.unread = without(c.unread, found);
        Lengths.Length length = found.length;
        int id = length.id(c);
        Lengths.open(RT.array(s), length, found.isWide ? 1 : 0, c);
        if (length.most == 0) return;
        // Of the characters of the longest string within the bound, so that they depend neither on each other nor on the length.
        c.within(found.first, length.most, NARROW, !found.isWider);
        if (!found.isWider || length.value() == length.most && id == 0) return;
        // A wider one behind the end makes no other string: that is left out. Those behind the end count as 0 here.
        int any = 0;
        for (int i = 0; i < length.most; i++) {
            int letter = found.first + i;
            if (id != 0 && i >= length.from) {
                int distance = c.binary(ISUB, 0, i, id, length.value(), false, false);
                letter = c.binary(IAND, c.binary(ISHR, distance, 0, 0, 31, false, false), 0, letter, 0, false, false);
            }
            any = any == 0 ? letter : c.binary(IOR, any, 0, letter, 0, false, false);
        }
        c.branch(IF_ICMPGT, -1, any, 0, 0, NARROW, found.isWide);
        if (!found.isWide) throw new RunEnd("assume");
    }

    /** There are as many as the call has strings: few. */
    private static Unread without(Unread all, Unread one) {
        if (all == one) return one.next;
        return new Unread(all.of, all.length, all.first, all.isWide, all.isWider, without(all.next, one));
    }
}
