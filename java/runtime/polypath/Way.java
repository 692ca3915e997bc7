package polypath;

import java.util.function.Predicate;

/**
 * The way of a run through basic blocks, as a number: each block goes into it in its turn. On a plain JVM, where there is no {@link Ctx}, the way of the
 * call at hand is kept here.
 */
public final class Way {
    private Way() {}

    static final long BEGIN = 0xcbf29ce484222325L;
    /** The prime of the hash function FNV-1a. */
    private static final long PRIME = 0x100000001b3L;

    /** The way that goes on with this block. */
    static long behind(long way, int name) {
        return (way ^ name) * PRIME;
    }

    /** While the entry point is expected: whether a class makes calls of it. */
    private static Predicate<Class<?>> isCaller;
    private static boolean isLost;
    private static Thread owner;
    private static long way;
    private static long before;
    private static int beginning;

    /** A call is about to come, on this thread, to the entry point, from such a class. (What the call is given may have been made by the same method.) */
    public static void expect(Predicate<Class<?>> isCaller) {
        Way.isCaller = isCaller;
        isLost = false;
        owner = null;
        way = 0;
    }

    /** The entry point begins. */
    public static void begin() {
        if (isCaller == null || !isCaller.test(caller())) return;
        isCaller = null;
        owner = Thread.currentThread();
        way = BEGIN;
        beginning = 0;
    }

    /** The class that called the method which called us. */
    private static Class<?> caller() {
        StackWalker walker = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
        // Behind this method, `begin`, and the entry point itself.
        return walker.walk(frames -> frames.skip(3).findFirst()).map(StackWalker.StackFrame::getDeclaringClass).orElse(Way.class);
    }

    public static void block(int name) {
        if (Thread.currentThread() == owner) way = behind(way, name);
    }

    public static void classBegins() {
        if (Thread.currentThread() == owner && beginning++ == 0) before = way;
    }

    public static void classHasBegun() {
        if (Thread.currentThread() == owner && beginning > 0 && --beginning == 0) way = before;
    }

    /** Some class cannot be followed. */
    public static void lose() {
        isLost = true;
    }

    /** The call is over. Its way; 0 if it did not come to the entry point, or cannot be told. */
    public static long end() {
        isCaller = null;
        owner = null;
        return isLost ? 0 : way;
    }
}
