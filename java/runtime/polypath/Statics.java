package polypath;

import java.util.ArrayList;
import java.util.List;

/**
 * The static state of the program's classes, from one run to the next: each run is to find it as the starts of the classes left it.
 *
 * A class begins once in each loader, in the middle of the first run that uses it. When its start is over, what its static fields lead to is kept
 * ({@link Snapshot}), and is put back before the next run, which so finds the class as if it had begun itself. That is true of a start that does the same
 * whenever it comes: it uses no input and tells nobody of anything, and it meets static state of other classes only as their own starts left it, and leaves it
 * so. Where a start is of another kind, or leads to what cannot be kept, the next run loads all classes anew.
 */
public final class Statics {
    private Statics() {}

    /** Loaders in a row of no further use after which nothing is kept for this program any more. */
    private static final int MOST_IN_VAIN = 8;

    /** Classes whose starts go on, each for the sake of the one before. */
    private static Class<?>[] beginning = new Class<?>[16];
    private static int depth;
    /** Whether they have met static fields of other classes. */
    private static boolean hasTouched;
    /** What the run had told when the outermost start began. */
    private static long told;

    private static Snapshot snapshot = new Snapshot();
    /** Classes without starts whose static fields are not in it yet. */
    private static final List<Class<?>> unset = new ArrayList<>();
    /** Whether the loader is of no further use. */
    private static boolean isSpoilt;
    /** Whether some class has begun in this run. */
    private static boolean hasBegun;
    private static int inVain;
    /** Whether no loader of this program can be of further use. */
    private static boolean isHopeless;

    /** Another program follows. */
    public static void start() {
        inVain = 0;
        isHopeless = false;
        forget();
    }

    /** The classes of another loader follow. */
    public static void forget() {
        depth = 0;
        beginning = new Class<?>[16];
        hasTouched = false;
        snapshot = new Snapshot();
        synchronized (unset) {
            unset.clear();
        }
        isSpoilt = false;
        hasBegun = false;
    }

    /** A class has come that has static state, but no start: nothing is set in it when it begins. To be called while the thread works for us. */
    public static void comes(Class<?> c) {
        synchronized (unset) {
            unset.add(c);
        }
    }

    /** Whether all static state is as the starts of classes left it. */
    private static boolean isSame() {
        addUnset();
        return snapshot.isSame();
    }

    private static void addUnset() {
        synchronized (unset) {
            // (One that has not begun has nothing set, and is not to be linked before its time.)
            for (int k = unset.size() - 1; k >= 0; k--) if (snapshot.addUnset(unset.get(k))) unset.remove(k);
        }
    }

    /** The start of a class is not seen. */
    public static void giveUp() {
        isHopeless = true;
    }

    /** What a run did cannot be put back. */
    public static void spoil() {
        isSpoilt = true;
    }

    /** Whether some class has begun since the last run. */
    public static boolean hasBegun() {
        return hasBegun;
    }

    /** A class begins. */
    static void begins(Class<?> c) {
        hasBegun = true;
        if (isHopeless) return;
        if (!Threads.isMain()) isSpoilt = true;
        if (isSpoilt) return;
        if (depth == 0) told = told();
        if (depth == beginning.length) {
            Class<?>[] more = new Class<?>[2 * depth];
            System.arraycopy(beginning, 0, more, 0, depth);
            beginning = more;
        }
        beginning[depth++] = c;
    }

    /** The start of a class is over. */
    static void begun(Class<?> c) {
        if (isHopeless || isSpoilt) return;
        boolean paused = RT.pause();
        try {
            // One whose start has failed is in the way.
            boolean isInOrder = depth > 0 && beginning[depth - 1] == c && Threads.isMain() && !Threads.many;
            boolean isQuiet = isInOrder && told == told() && (!hasTouched || isSame());
            if (!isQuiet) {
                isSpoilt = true;
                return;
            }
            if (!snapshot.add(c)) isHopeless = true;
            beginning[--depth] = null;
            hasTouched &= depth > 0;
        } finally {
            RT.resume(paused);
        }
    }

    /** The program is about to read or write a static field of one of its classes. */
    public static void touch(Class<?> owner) {
        if (depth != 0) touched(owner);
    }

    private static void touched(Class<?> owner) {
        if (isSpoilt || isHopeless || owner == beginning[depth - 1]) return;
        boolean paused = RT.pause();
        try {
            // What a class is like whose start goes on depends on who began.
            for (int k = 0; k < depth; k++) isSpoilt |= beginning[k] == owner;
            // (If they change it themselves, that is seen when they are over.)
            if (!hasTouched && !isSame()) isSpoilt = true;
            hasTouched = true;
        } finally {
            RT.resume(paused);
        }
    }

    /** What the run has told of input, and what it has printed. */
    private static long told() {
        return RT.told() + Output.printed();
    }

    /** The next run follows. Whether it finds the static state of these classes as their starts left it; if not, it is to load them anew. */
    public static boolean putBack() {
        hasBegun = false;
        if (isHopeless) return false;
        if (isSpoilt || depth > 0) {
            isHopeless = ++inVain >= MOST_IN_VAIN;
            return false;
        }
        inVain = 0;
        addUnset();
        snapshot.putBack();
        return true;
    }
}
