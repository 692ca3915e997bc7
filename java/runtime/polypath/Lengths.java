package polypath;

/**
 * Arrays of input whose length the path has not decided. What the program asks of such a length (a comparison, whether an index is inside) is a condition
 * on it, and other lengths that answer alike take the same path. Where one value is needed (a copy, code that is not woven), it becomes one value of
 * many.
 */
public final class Lengths {
    private Lengths() {}

    private static final int IADD = 96;
    private static final int ISHL = 120;
    private static final int IF_ICMPEQ = 159;
    private static final int IF_ICMPLT = 161;

    /** How long something of input is: so much more than the shortest within its bound. */
    public static final class Length {
        /** Choices that led to its bound: id and value of each. */
        private final int[] longer;
        final int from;
        /** The most within the bound. */
        final int most;
        private final int more;
        /** The id of what is more; 0 if the length is no input. */
        private final int moreId;
        private boolean isBoundTold;
        private int id;

        public Length(int[] longer, int from, int most, int more, int moreId) {
            this.longer = longer;
            this.from = from;
            this.most = most;
            this.more = more;
            this.moreId = moreId;
        }

        public int value() {
            return from + more;
        }

        /** The path is within this bound from now on. */
        private void tellBound(Ctx c) {
            if (isBoundTold) return;
            isBoundTold = true;
            c.lose(Wire.BOUNDED_LENGTH, -1);
            for (int k = 0; k < longer.length; k += 2) c.put(Wire.VALUE | Wire.CAN_WAIT, -1, longer[k], longer[k + 1]);
        }

        /** The id of the length, which is asked for. */
        int id(Ctx c) {
            tellBound(c);
            if (id == 0) id = moreId == 0 || from == 0 ? moreId : c.binary(IADD, moreId, more, 0, from, false, false);
            return id;
        }

        /** It is one value of many. */
        void settle(Ctx c) {
            tellBound(c);
            if (moreId != 0) c.put(Wire.VALUE, -1, moreId, more);
        }
    }

    /** An array with such a length. */
    static final class Open {
        private final Object array;
        private final Length length;
        /** Its elements are so many times as many, as a power of two. */
        private final int shift;
        private int id;
        /** So many elements it has on this path: of these nothing is asked again. */
        private int atLeast;
        private Open next;

        private Open(Object array, Length length, int shift, Open next) {
            this.array = array;
            this.length = length;
            this.shift = shift;
            this.next = next;
        }

        private int id(Ctx c) {
            if (id == 0) {
                id = length.id(c);
                if (shift != 0) id = c.binary(ISHL, id, length.value(), 0, shift, false, false);
            }
            return id;
        }
    }

    /** The length of this array is open, unless it is no input. */
    static void open(Object array, Length length, int shift, Ctx c) {
        if (length.moreId != 0) c.open = new Open(array, length, shift, c.open);
    }

    private static Open find(Object array, Ctx c) {
        Open found = c.open;
        while (found != null && found.array != array) found = found.next;
        return found;
    }

    /** The id of an array's length; 0 if that is one value. */
    static int of(Object array, Ctx c) {
        Open found = find(array, c);
        return found == null ? 0 : found.id(c);
    }

    /** An element is about to be read or written: whether there is one is a condition on the length. A length under an index that depends on input is one value. */
    static void reach(Object array, int i, int s, int site, Ctx c) {
        Open found = find(array, c);
        if (found == null) return;
        if (s != 0) {
            settle(array, c);
        } else if (i >= found.atLeast) {
            int length = Shadows.length(array);
            c.branch(IF_ICMPLT, site, 0, i, found.id(c), length, i < length);
            if (i < length) found.atLeast = i + 1;
        }
    }

    /** Whether two arrays are of one length. */
    static boolean areEqual(byte[] a, byte[] b, int site, Ctx c) {
        boolean holds = a.length == b.length;
        int ofA = of(a, c);
        int ofB = of(b, c);
        if ((ofA | ofB) != 0) c.branch(IF_ICMPEQ, site, ofA, a.length, ofB, b.length, holds);
        return holds;
    }

    /** The length of an array is needed as it is. */
    static void settle(Object array, Ctx c) {
        Open found = find(array, c);
        if (found == null) return;
        c.open = without(c.open, found);
        found.length.settle(c);
    }

    private static Open without(Open all, Open one) {
        if (all == one) return one.next;
        all.next = without(all.next, one);
        return all;
    }
}
