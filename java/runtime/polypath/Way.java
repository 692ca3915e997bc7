package polypath;

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

    private static boolean isExpected;
    private static boolean isLost;
    private static Thread owner;
    private static long way;
    private static long before;
    private static int beginning;

    /** A call is about to come, on this thread, to the entry point. */
    public static void expect() {
        isExpected = true;
        isLost = false;
        owner = null;
        way = 0;
    }

    /** The entry point begins. */
    public static void begin() {
        if (!isExpected) return;
        isExpected = false;
        owner = Thread.currentThread();
        way = BEGIN;
        beginning = 0;
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
        isExpected = false;
        owner = null;
        return isLost ? 0 : way;
    }
}
