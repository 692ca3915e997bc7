package polypath;

import jdk.internal.misc.Unsafe;

/**
 * Exceptions of one run that have a number in their messages which depends on input: those that the JVM would raise for an index or a size. They are
 * made here instead, with the JVM's text. The number's digits get their ids when a program reads the message, as each number of digits is a path.
 */
final class Faults {
    /** Where an exception has its message. */
    private static final class Message {
        static final Unsafe UNSAFE = Unsafe.getUnsafe();
        static final long AT = UNSAFE.objectFieldOffset(Throwable.class, "detailMessage");
    }

    private static final class Entry {
        final Throwable of;
        /** What the JVM says, in which the number begins at this place. */
        final String text;
        final int at;
        final int number;
        final int id;
        final Entry next;

        Entry(Throwable of, String text, int at, int number, int id, Entry next) {
            this.of = of;
            this.text = text;
            this.at = at;
            this.number = number;
            this.id = id;
            this.next = next;
        }
    }

    /** The newest one; null in most runs, which is what woven code asks first. */
    private Entry last;

    void clear() {
        last = null;
    }

    boolean any() {
        return last != null;
    }

    /** Of an index with this id into an array of this length. */
    RuntimeException index(int i, int id, int length) {
        boolean paused = RT.pause();
        try {
            String text = "Index " + i + " out of bounds for length " + length;
            return keep(new ArrayIndexOutOfBoundsException(text), text, "Index ".length(), i, id);
        } finally {
            RT.resume(paused);
        }
    }

    /** Of a negative size of an array. */
    RuntimeException size(int n, int id) {
        boolean paused = RT.pause();
        try {
            String text = Integer.toString(n);
            return keep(new NegativeArraySizeException(text), text, 0, n, id);
        } finally {
            RT.resume(paused);
        }
    }

    private RuntimeException keep(RuntimeException e, String text, int at, int number, int id) {
        StackTraceElement[] frames = e.getStackTrace();
        int ours = 0;
        while (ours < frames.length && frames[ours].getClassName().startsWith("polypath.")) ours++;
        e.setStackTrace(java.util.Arrays.copyOfRange(frames, ours, frames.length));
        last = new Entry(e, text, at, number, id, last);
        return e;
    }

    private static final String CONTEXT = "polypath.Ctx)";
    private static final String SHADOW = "$polypath";

    /** What the JVM says of a null pointer names a field, or a method with its parameters: those of a shadow or a twin become those of the original. */
    static String plain(String text) {
        boolean paused = RT.pause();
        try {
            if (text == null || !text.contains("polypath")) return text;
            text = text.replace(SHADOW, "");
            StringBuilder plain = new StringBuilder();
            int from = 0;
            for (int at = text.indexOf(CONTEXT); at >= 0; at = text.indexOf(CONTEXT, from)) {
                int open = text.lastIndexOf('(', at) + 1;
                plain.append(text, from, open).append(parameters(text.substring(open, at))).append(')');
                from = at + CONTEXT.length();
            }
            return plain.append(text, from, text.length()).toString();
        } finally {
            RT.resume(paused);
        }
    }

    /** Those of a twin without the ids, of which there is one for each primitive; the context is gone. */
    private static String parameters(String all) {
        if (all.isEmpty()) return all;
        String[] types = all.split(", ");
        int primitives = 0;
        for (int n = 0; n < types.length; n++) {
            if (n + primitives == types.length) return String.join(", ", java.util.Arrays.copyOf(types, n));
            if (isPrimitive(types[n])) primitives++;
        }
        return String.join(", ", types);
    }

    private static boolean isPrimitive(String type) {
        switch (type) {
            case "boolean":
            case "byte":
            case "char":
            case "short":
            case "int":
            case "long":
            case "float":
            case "double":
                return true;
            default:
                return false;
        }
    }

    private Entry find(Object o) {
        Entry e = last;
        while (e != null && e.of != o) e = e.next;
        return e;
    }

    /** Code that is not woven has made a message of that of the cause. */
    void wrapped(Throwable t, Throwable cause) {
        Entry e = find(cause);
        if (e != null) last = new Entry(t, e.text, e.at, e.number, e.id, last);
    }

    /** The message is about to be read: its number has an id from now on. */
    void read(Object o) {
        Entry e = find(o);
        if (e == null) return;
        String message = (String) Message.UNSAFE.getReference(o, Message.AT);
        if (message == null || !message.endsWith(e.text)) return;
        int begins = message.length() - e.text.length() + e.at;
        int ends = begins + Integer.toString(e.number).length();
        // By way of a box, as only woven code can be given an id.
        String digits = Reflected.boxed(e.number, int.class, e.id, RT.ctx()).toString();
        String whole = message.substring(0, begins).concat(digits).concat(message.substring(ends));
        Message.UNSAFE.putReference(o, Message.AT, whole);
        forget(o);
    }

    private void forget(Object o) {
        Entry kept = null;
        for (Entry e = last; e != null; e = e.next) {
            if (e.of != o) kept = new Entry(e.of, e.text, e.at, e.number, e.id, kept);
        }
        last = kept;
    }
}
