package polypath;

import jdk.internal.misc.Unsafe;

/**
 * Boxes of values that depend on input, in one run: by object the id of the value, and whether the box stands for the one that
 * `valueOf` keeps for its value.
 */
final class SharedBoxes {
    /** `Integer.valueOf` and its siblings keep boxes of these values. */
    private static final int FIRST = -128;
    private static final int LAST = 127;

    private static final class Entry {
        final Object box;
        int id;
        boolean isShared;
        Entry next;

        Entry(Object box) {
            this.box = box;
        }
    }

    private Entry[] table = new Entry[64];
    private int size;

    /** Whether there is any: what woven code asks first. */
    boolean any;

    void clear() {
        if (!any) return;
        table = new Entry[64];
        size = 0;
        any = false;
    }

    private Entry find(Object box) {
        Entry e = table[System.identityHashCode(box) & (table.length - 1)];
        while (e != null && e.box != box) e = e.next;
        return e;
    }

    private Entry make(Object box) {
        Entry e = find(box);
        if (e != null) return e;
        if (size >= table.length) grow();
        e = new Entry(box);
        add(e);
        size++;
        any = true;
        return e;
    }

    private void add(Entry e) {
        int at = System.identityHashCode(e.box) & (table.length - 1);
        e.next = table[at];
        table[at] = e;
    }

    private void grow() {
        Entry[] old = table;
        table = new Entry[2 * old.length];
        for (Entry first : old) {
            for (Entry e = first; e != null; ) {
                Entry next = e.next;
                add(e);
                e = next;
            }
        }
    }

    void set(Object box, int id) {
        make(box).id = id;
    }

    int id(Object box) {
        Entry e = find(box);
        return e == null ? 0 : e.id;
    }

    /** The id of the value in any box; 0 for other objects, too. */
    int idOf(Object o) {
        if (o instanceof Integer || o instanceof Long || o instanceof Float || o instanceof Double) {
            Unsafe u = Unsafe.getUnsafe();
            return u.getInt(o, u.objectFieldOffset(o.getClass(), "value$polypath"));
        }
        return any ? id(o) : 0;
    }

    /** A box of the same value that has no id. */
    Object plain(Object box) {
        if (idOf(box) == 0) return box;
        Unsafe u = Unsafe.getUnsafe();
        long at = u.objectFieldOffset(box.getClass(), "value");
        if (box instanceof Float) return Float.valueOf(u.getFloat(box, at));
        if (box instanceof Double) return Double.valueOf(u.getDouble(box, at));
        if (box instanceof Boolean) return Boolean.valueOf(u.getBoolean(box, at));
        long n = value(box);
        switch (kind(box)) {
            case 'I': return Integer.valueOf((int) n);
            case 'J': return Long.valueOf(n);
            case 'S': return Short.valueOf((short) n);
            case 'B': return Byte.valueOf((byte) n);
            default: return Character.valueOf((char) n);
        }
    }

    /** Whether it stands for a box that `valueOf` keeps. */
    boolean isShared(Object box) {
        Entry e = find(box);
        return e != null && e.isShared;
    }

    void share(Object box, int id) {
        Entry e = make(box);
        e.id = id;
        e.isShared = true;
    }

    /** Whether two references that differ are one box where `valueOf` keeps it: that is decided by their values. */
    boolean same(Object a, Object b, int site, Ctx c) {
        if (a == null || b == null || a.getClass() != b.getClass() || kind(a) == 0) return false;
        Entry x = find(a);
        Entry y = find(b);
        boolean isShared = x != null && x.isShared || y != null && y.isShared;
        if (!isShared || !isKept(a, x) || !isKept(b, y)) return false;
        int ix = x == null ? 0 : x.id;
        int iy = y == null ? 0 : y.id;
        long n = value(a);
        long m = value(b);
        if (kind(a) == 'J') {
            int sign = c.binary(148, ix, n, iy, m, true, true);
            c.branch(153, site, sign, Long.compare(n, m), 0, 0, n == m);
        } else {
            c.branch(159, site, ix, (int) n, iy, (int) m, n == m);
        }
        return n == m && isInside(kind(a), n, ix == 0 ? iy : ix, site, c);
    }

    /** Whether `valueOf` keeps a box of this value. */
    private static boolean isInside(char kind, long n, int id, int site, Ctx c) {
        switch (kind) {
            case 'B':
                return true;
            case 'J':
                int low = c.binary(148, id, n, 0, FIRST, true, true);
                c.branch(156, site, low, Long.compare(n, FIRST), 0, 0, n >= FIRST);
                if (n < FIRST) return false;
                int high = c.binary(148, id, n, 0, LAST, true, true);
                c.branch(158, site, high, Long.compare(n, LAST), 0, 0, n <= LAST);
                return n <= LAST;
            default:
                if (kind != 'C') c.branch(162, site, id, (int) n, 0, FIRST, n >= FIRST);
                if (n < FIRST) return false;
                c.branch(164, site, id, (int) n, 0, LAST, n <= LAST);
                return n <= LAST;
        }
    }

    /** The type of the value in a box of which `valueOf` keeps some; 0 for any other object. */
    private static char kind(Object box) {
        if (box instanceof Integer) return 'I';
        if (box instanceof Long) return 'J';
        if (box instanceof Short) return 'S';
        if (box instanceof Byte) return 'B';
        return box instanceof Character ? 'C' : 0;
    }

    /** What is in a box: read past its methods, which are woven. */
    private static long value(Object box) {
        Unsafe u = Unsafe.getUnsafe();
        long at = u.objectFieldOffset(box.getClass(), "value");
        switch (kind(box)) {
            case 'I': return u.getInt(box, at);
            case 'J': return u.getLong(box, at);
            case 'S': return u.getShort(box, at);
            case 'B': return u.getByte(box, at);
            default: return u.getChar(box, at);
        }
    }

    /** Whether a box is one that `valueOf` gave, as far as its value is one of which it keeps a box. */
    private static boolean isKept(Object box, Entry e) {
        if (e != null) return e.isShared;
        long n = value(box);
        switch (kind(box)) {
            case 'I': return box == Integer.valueOf((int) n);
            case 'J': return box == Long.valueOf(n);
            case 'S': return box == Short.valueOf((short) n);
            case 'B': return box == Byte.valueOf((byte) n);
            default: return box == Character.valueOf((char) n);
        }
    }
}
