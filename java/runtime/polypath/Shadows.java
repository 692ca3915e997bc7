package polypath;

/**
 * The ids of the elements of arrays of primitives: a table by identity, which lives for one run.
 *
 * An entry begins with an id for each element. After a write at a symbolic index the elements are no longer known one by
 * one: the entry is then an expression, to which writes are added. An array that code which is not woven has seen may
 * be written there unseen: it carries no ids any more.
 */
final class Shadows {
    static final class Entry {
        final Object array;
        /** By element; null when un-woven code has seen the array. */
        Ids ids;
        /** The array as an expression, 0 if there is none that is true. */
        int expression;
        /** Whether the expression is all that is known. */
        boolean written;
        /** Whether something has read an element, as far as that can be seen: where nothing does, the array is room for a result. */
        boolean isRead;
        Entry next;

        Entry(Object array) {
            this.array = array;
        }
    }

    private Entry[] table = new Entry[64];
    private int size;

    /** Whether any array has an entry: what woven code asks first. */
    boolean any;

    void clear() {
        if (!any) return;
        table = new Entry[64];
        size = 0;
        any = false;
    }

    Entry find(Object array) {
        for (Entry e = table[System.identityHashCode(array) & (table.length - 1)]; e != null; e = e.next) {
            if (e.array == array) return e;
        }
        return null;
    }

    /** The entry of an array that is to carry ids; null if it cannot. */
    Entry make(Object array) {
        Entry e = find(array);
        if (e == null) {
            e = add(array);
            e.ids = new Ids(length(array));
        }
        return e.ids == null ? null : e;
    }

    private Entry add(Object array) {
        if (size >= table.length) grow();
        Entry e = new Entry(array);
        int at = System.identityHashCode(array) & (table.length - 1);
        e.next = table[at];
        table[at] = e;
        size++;
        any = true;
        return e;
    }

    private void grow() {
        Entry[] old = table;
        table = new Entry[2 * old.length];
        for (Entry first : old) {
            for (Entry e = first; e != null; ) {
                Entry next = e.next;
                int at = System.identityHashCode(e.array) & (table.length - 1);
                e.next = table[at];
                table[at] = e;
                e = next;
            }
        }
    }

    /** Whether some element of the array has an id. */
    boolean hasIds(Object array) {
        Entry e = find(array);
        return e != null && hasIds(e);
    }

    /** The ids of all elements; null if none has one. */
    int[] ids(Object array, Ctx c) {
        Entry e = find(array);
        if (e == null || !hasIds(e)) return null;
        int[] ids = new int[length(array)];
        for (int k = 0; k < ids.length; k++) ids[k] = e.written ? c.select(e.expression, k, true) : e.ids.get(k);
        return ids;
    }

    private static boolean hasIds(Entry e) {
        return e.written || e.ids != null && e.ids.count() > 0;
    }

    /** Code that is not woven sees the array. Whether something is lost by that. */
    boolean escape(Object array) {
        Entry e = find(array);
        if (e == null) e = add(array);
        boolean lost = hasIds(e);
        e.isRead = true;
        e.ids = null;
        e.expression = 0;
        e.written = false;
        return lost;
    }

    /** The type of the elements. */
    static char kind(Object array) {
        if (array instanceof int[]) return 'I';
        if (array instanceof byte[]) return 'B';
        if (array instanceof char[]) return 'C';
        if (array instanceof long[]) return 'J';
        if (array instanceof boolean[]) return 'Z';
        if (array instanceof short[]) return 'S';
        if (array instanceof double[]) return 'D';
        return 'F';
    }

    /** The bits of an element. */
    static long value(Object array, int i) {
        if (array instanceof int[]) return ((int[]) array)[i];
        if (array instanceof byte[]) return ((byte[]) array)[i];
        if (array instanceof char[]) return ((char[]) array)[i];
        if (array instanceof long[]) return ((long[]) array)[i];
        if (array instanceof boolean[]) return ((boolean[]) array)[i] ? 1 : 0;
        if (array instanceof short[]) return ((short[]) array)[i];
        if (array instanceof double[]) return Double.doubleToRawLongBits(((double[]) array)[i]);
        return Float.floatToRawIntBits(((float[]) array)[i]);
    }

    /** Sets an element from its bits. */
    static void set(Object array, int i, long bits) {
        if (array instanceof int[]) ((int[]) array)[i] = (int) bits;
        else if (array instanceof byte[]) ((byte[]) array)[i] = (byte) bits;
        else if (array instanceof char[]) ((char[]) array)[i] = (char) bits;
        else if (array instanceof long[]) ((long[]) array)[i] = bits;
        else if (array instanceof boolean[]) ((boolean[]) array)[i] = (bits & 1) != 0;
        else if (array instanceof short[]) ((short[]) array)[i] = (short) bits;
        else if (array instanceof double[]) ((double[]) array)[i] = Double.longBitsToDouble(bits);
        else ((float[]) array)[i] = Float.intBitsToFloat((int) bits);
    }

    /**
     * The ids of elements that were copied. False if some could not be kept: the other array has been seen by code that
     * is not woven.
     */
    boolean copy(Object from, int i, Object to, int j, int n) {
        if (from instanceof Object[]) return true;
        Entry source = find(from);
        Ids ids = source == null ? null : source.ids;
        if (source != null) source.isRead = true;
        Entry target = find(to);
        if (ids != null && source.written) {
            // Known as an expression only: the elements are read from it one by one.
            Ctx c = RT.ctx();
            ids = new Ids(i + n);
            for (int k = i; k < i + n; k++) ids.set(k, c.select(source.expression, k, true));
        }
        boolean symbolic = ids != null && ids.any(i, n);
        if (target == null && !symbolic) return true;
        if (target == null) target = make(to);
        if (target.ids == null) return !symbolic;
        if (target.written) {
            Ctx c = RT.ctx();
            char kind = kind(to);
            for (int k = 0; k < n; k++) {
                int id = ids == null ? 0 : ids.get(i + k);
                target.expression = c.store(target.expression, 0, j + k, id, value(to, j + k), kind == 'J' || kind == 'D');
            }
            return true;
        }
        target.ids.copy(ids, i, j, n);
        target.expression = 0;
        return true;
    }

    static int length(Object array) {
        return java.lang.reflect.Array.getLength(array);
    }
}
