package polypath;

import java.io.FileOutputStream;
import jdk.internal.misc.Unsafe;

/**
 * What woven code calls. Each method asks first whether any id is not 0; with none of them nothing happens, and HotSpot
 * inlines that question. An id names an expression of the run; 0 is a value that depends on no input.
 */
public final class RT {
    private RT() {}

    /** The thread that runs woven code of the program: that of the entry point, or another one that has the baton ({@link Threads}). */
    static volatile Thread owner;
    private static Ctx main;
    private static final Ctx idle = new Ctx();
    /** The baton's thread while it executes our own code; what it does to values is not recorded. */
    static volatile Thread paused;
    private static final Ctx mute = new Ctx();

    /** Ids that were met outside of the program's threads. */
    static int lostByThreads;

    /** Ids that other threads have lost since the last time. */
    public static int takeLostByThreads() {
        int n = lostByThreads;
        lostByThreads = 0;
        return n;
    }

    /** The context of this thread. */
    public static Ctx ctx() {
        // While the JVM begins there is no thread yet, and since Java 21 it cannot be asked for.
        if (main == null) return idle;
        Thread t = Thread.currentThread();
        if (t == owner) return main;
        return t == paused ? mute : other(t);
    }

    private static Ctx other(Thread t) {
        if (Threads.works(t)) return mute;
        return Threads.join(t) ? main : idle;
    }

    /** The same for a twin that is to run itself, whatever the object's class. */
    public static Ctx direct() {
        return ctx().direct;
    }

    /** Whether the object's class is not woven, so that a twin which it inherits may not be meant. */
    public static boolean isForeign(Ctx c, Object o) {
        return c.plain == c && !(o instanceof Woven && ((Woven) o).polypath$class() == o.getClass());
    }

    /** This thread is the one that runs entry points from now on. */
    public static Ctx own(FileOutputStream out) {
        main = new Ctx(out);
        idle.steps = Long.MAX_VALUE;
        idle.turns = Long.MAX_VALUE;
        owner = Thread.currentThread();
        Threads.own();
        return main;
    }

    /** From here on this thread works for us and not for the program. */
    public static boolean pause() {
        Thread t = Thread.currentThread();
        if (t != owner) return Threads.many && Threads.work(t);
        paused = t;
        owner = null;
        return true;
    }

    /** The end of what {@link #pause} began, with its result. */
    public static void resume(boolean wasPaused) {
        if (!wasPaused) return;
        Thread t = Thread.currentThread();
        if (t != paused) {
            Threads.worked(t);
            return;
        }
        owner = t;
        paused = null;
    }

    /** The run is over, whatever its threads do: that of the entry point works for us again, without the baton. */
    public static void take() {
        Threads.take();
    }

    /** What a thread was about to throw, for what another one was. */
    static Throwable swapThrown(Throwable t) {
        return main.swapThrown(t);
    }

    /** Code comes back that is not woven, in which the thread can have waited for others. */
    public static void back(Ctx c) {
        if (c.live && Threads.many) Threads.back();
    }

    /** A class was loaded, for which the thread can have waited. */
    public static void loaded() {
        if (Threads.many) Threads.back();
    }

    /** The thread would let others go on. */
    public static void pass(Ctx c) {
        if (c.live && Threads.many) Threads.pass();
    }

    /** A class was woven: Polypath hears of its places before any of its code runs. */
    public static void tell() {
        if (Thread.currentThread() == owner) main.tell();
    }

    // ------------------------------------------------------------------ control

    /** A block of `n` instructions begins. */
    public static void block(int site, int n, Ctx c) {
        int[] seen = c.seen;
        int name = site < seen.length ? seen[site] : 0;
        if (name == 0) name = cover(site, c);
        c.at = site;
        if (name != Ctx.NAMELESS) c.way = Way.behind(c.way, name);
        if ((c.steps -= n) < 0) over(c);
    }

    /** A class begins: which run does that first is chance, so its blocks are no part of the way. */
    public static void classBegins(Ctx c) {
        if (c.beginning++ == 0) c.wayBefore = c.way;
    }

    public static void classHasBegun(Ctx c) {
        if (c.beginning > 0 && --c.beginning == 0) c.way = c.wayBefore;
    }

    /** Whether a class has come to the end of its beginning, and without an exception. */
    public static boolean hasBegun(Class<?> c) {
        return !jdk.internal.misc.Unsafe.getUnsafe().shouldBeInitialized(c);
    }

    /** The names of blocks, by their sites. */
    private static int[] names = new int[1024];

    /** A block has a name that is the same in every JVM. */
    public static synchronized void name(int site, int name) {
        if (site >= names.length) names = java.util.Arrays.copyOf(names, Math.max(site + 1, 2 * names.length));
        names[site] = name;
    }

    /** The blocks of one program are done with: those of another have the same numbers. */
    static synchronized void forgetNames() {
        names = new int[1024];
    }

    private static synchronized int name(int site) {
        return site < names.length && names[site] != 0 ? names[site] : Ctx.NAMELESS;
    }

    /** A loop of the JDK goes round. */
    public static void turn(Ctx c) {
        if (--c.turns < 0) over(c);
    }

    private static int cover(int site, Ctx c) {
        if (site >= c.seen.length) c.seen = java.util.Arrays.copyOf(c.seen, Math.max(site + 1, 2 * c.seen.length));
        int name = name(site);
        c.seen[site] = name;
        if (c.live) c.cover(site);
        return name;
    }

    private static void over(Ctx c) {
        if (c.live) {
            if (!c.refill()) throw new RunEnd("steps");
            pass(c);
            return;
        }
        c.steps = Long.MAX_VALUE;
        c.turns = Long.MAX_VALUE;
    }

    public static void thrown(Throwable t, Ctx c) {
        if (c.live) c.thrown(t);
    }

    public static void caught(Throwable t, Ctx c) {
        if (!c.live) return;
        if (Threads.many) Threads.back();
        c.caught(t);
    }

    /** The same in a handler that passes it on when it has given back a lock. */
    public static void passed(Throwable t, Ctx c) {
        if (c.live) c.passed(t);
    }

    public static void exit(int status, Ctx c) {
        throw new RunEnd("exit " + status);
    }

    /** A method that could not be woven is called: what it writes would be unseen. */
    public static Error unsupported(String what) {
        return new RunEnd("unsupported " + what);
    }

    /** The run comes to something that is not supported. */
    public static void end(String what) {
        throw unsupported(what);
    }

    // ------------------------------------------------------------------ losses

    /** Ids that code which is not woven would get. */
    public static void lost(int ids, int what, int site, Ctx c) {
        if (ids != 0) c.lose(what, site);
    }

    /** Something is done with unknown values, if there is any input. */
    public static void opaque(int what, int site, Ctx c) {
        c.loseWay();
        if (c.live && c.hasInput()) c.lose(what, site);
    }

    /** Ids of what is printed: to the output of the run nothing is lost. */
    public static int printed(Object to, int ids) {
        return to instanceof Output ? 0 : ids;
    }

    /** Boxes that code which is not woven takes values out of: an object, or an array of them. */
    public static void unboxed(Object o, int site, Ctx c) {
        if (o == null || !c.live) return;
        if (o instanceof Object[]) {
            for (Object e : (Object[]) o) if (e != null && c.boxes.idOf(e) != 0) c.lose(Wire.LOST_CALL, site);
        } else if (c.boxes.idOf(o) != 0) {
            c.lose(Wire.LOST_CALL, site);
        }
    }

    /** The identity of an object is asked for. Whether a box is the one that `valueOf` keeps is decided by comparisons only. */
    public static void identity(Object o, int site, Ctx c) {
        if (c.live && c.boxes.any && c.boxes.isShared(o)) c.lose(Wire.LOST_CALL, site);
    }

    /** References are compared by code that is not woven. */
    public static void identities(int site, Ctx c) {
        if (c.live && c.boxes.any) c.lose(Wire.LOST_CALL, site);
    }

    /** A reference that code which is not woven gets. */
    public static void escape(Object o, int what, int site, Ctx c) {
        if (o != null && c.live && o.getClass().isArray()) escapeArray(o, what, site, c, 0);
    }

    /** A text that code may look into past its methods. */
    public static void seen(Object text, int site, Ctx c) {
        if (text instanceof String) {
            look((String) text, c);
            settle(Text.array((String) text), c);
        }
        if (text instanceof String && c.live && c.shadows.any && c.shadows.hasIds(Text.array((String) text))) {
            c.lose(Wire.LOST_CALL, site);
        }
    }

    /** Where a string has its characters. */
    private static final class Text {
        private static final Unsafe UNSAFE = Unsafe.getUnsafe();
        private static final long AT = UNSAFE.objectFieldOffset(String.class, "value");

        static Object array(String s) {
            return UNSAFE.getReference(s, AT);
        }

        /** A string without characters whose array no other one has. */
        static String empty() {
            // (A copy of "" may know its hash code.)
            String s = new String(new char[] {' '});
            UNSAFE.putReference(s, AT, new byte[0]);
            return s;
        }
    }

    /** The array in which a string has its characters. */
    static Object array(String s) {
        return Text.array(s);
    }

    /** A string of these characters, with an array that is no other string's. */
    static String alone(char[] letters) {
        boolean paused = pause();
        try {
            return letters.length == 0 ? Text.empty() : new String(letters);
        } finally {
            resume(paused);
        }
    }

    /** A field of a string is read that tells of its characters: these, or how they are kept. */
    public static void look(String s, Ctx c) {
        if (c.plain.unread != null) Texts.read(s, c.plain);
    }

    /** A string of input of this length. */
    public static String text(String name, Lengths.Length length, Ctx c) {
        long[] values = new long[length.most];
        int first = c.symbol('C', name, values);
        return Texts.make(values, first, length, c);
    }

    /** The array is input, and so is its length, of which nothing is decided yet. */
    public static void open(Object array, Lengths.Length length, Ctx c) {
        if (c.live) Lengths.open(array, length, 0, c);
    }

    /** The length is one value of many. */
    public static void settle(Lengths.Length length, Ctx c) {
        if (!c.live) return;
        if (c.pending != null && c.pending.isMaking()) c.pending.length(length);
        else length.settle(c);
    }

    /** A method with the name of the one under test is about to read this parameter, an object. */
    public static void reads(int parameter, String method, Ctx c) {
        if (c.live && c.pending != null) c.pending.tell(parameter, method, c);
    }

    /** The id of an array's length. */
    public static int length(Object array, Ctx c) {
        return c.plain.open == null || array == null ? 0 : Lengths.of(array, c.plain);
    }

    /** Code whose own values have no ids looks at an array. */
    public static void settle(Object array, Ctx c) {
        if (c.plain.open != null && array != null) Lengths.settle(array, c.plain);
    }

    /** Code that is not woven calls a method with this object, and gets a number: how long a string is must not depend on input. */
    public static void known(Object o) {
        if (!(o instanceof String)) return;
        Ctx c = ctx().plain;
        if (c.unread == null && c.open == null) return;
        look((String) o, c);
        settle(Text.array((String) o), c);
    }

    private static void reach(Object array, int i, int s, int site, Ctx c) {
        if (c.plain.open != null && array != null) Lengths.reach(array, i, s, site, c.plain);
    }

    private static void escapeArray(Object o, int what, int site, Ctx c, int depth) {
        settle(o, c);
        if (o.getClass().getComponentType().isPrimitive()) {
            if (c.shadows.escape(o)) c.lose(what, site);
        } else if (depth < 8) {
            for (Object e : (Object[]) o) {
                if (e != null && e.getClass().isArray()) escapeArray(e, what, site, c, depth + 1);
            }
        }
    }

    // ------------------------------------------------------------------ operations

    public static int unary(int s, int op, Ctx c) {
        if (s == 0) return 0;
        return c.live ? c.unary(op, s) : drop(c);
    }

    public static int ints(int a, int b, int sa, int sb, int op, Ctx c) {
        if ((sa | sb) == 0) return 0;
        return c.live ? c.binary(op, sa, a, sb, b, false, false) : drop(c);
    }

    public static int longs(long a, long b, int sa, int sb, int op, Ctx c) {
        if ((sa | sb) == 0) return 0;
        return c.live ? c.binary(op, sa, a, sb, b, true, true) : drop(c);
    }

    /** A shift of a long. */
    public static int shift(long a, int b, int sa, int sb, int op, Ctx c) {
        if ((sa | sb) == 0) return 0;
        return c.live ? c.binary(op, sa, a, sb, b, true, false) : drop(c);
    }

    public static int floats(float a, float b, int sa, int sb, int op, Ctx c) {
        if ((sa | sb) == 0) return 0;
        if (!c.live) return drop(c);
        return c.binary(op, sa, Float.floatToRawIntBits(a), sb, Float.floatToRawIntBits(b), false, false);
    }

    public static int doubles(double a, double b, int sa, int sb, int op, Ctx c) {
        if ((sa | sb) == 0) return 0;
        if (!c.live) return drop(c);
        return c.binary(op, sa, Double.doubleToRawLongBits(a), sb, Double.doubleToRawLongBits(b), true, true);
    }

    /** A function of which only the JVM knows the last bit. In check mode, where each bit counts, its value is lost. */
    public static int approximate(int s, int op, int site, Ctx c) {
        if (s == 0) return 0;
        if (!c.live) return drop(c);
        return isKnown(site, c) ? c.unary(op, s) : 0;
    }

    /** The same of two numbers. */
    public static int approximate(double a, double b, int sa, int sb, int op, int site, Ctx c) {
        if ((sa | sb) == 0) return 0;
        if (!c.live) return drop(c);
        if (!isKnown(site, c)) return 0;
        return c.binary(op, sa, Double.doubleToRawLongBits(a), sb, Double.doubleToRawLongBits(b), true, true);
    }

    private static boolean isKnown(int site, Ctx c) {
        c.lose(Ctx.checks ? Wire.LOST_CALL : Wire.LOST_FUNCTION, site);
        return !Ctx.checks;
    }

    /** `Math.pow(a, b)`: a square is a product, as in the JVM's own form. */
    public static int power(double a, double b, int sa, int sb, int site, Ctx c) {
        if ((sa | sb) == 0) return 0;
        if (!c.live) return drop(c);
        if (sb == 0) {
            if (b == 0) return 0;
            if (b == 1) return sa;
            if (b == 2) return c.binary(DMUL, sa, Double.doubleToRawLongBits(a), sa, Double.doubleToRawLongBits(a), true, true);
        }
        return approximate(a, b, sa, sb, Wire.POWER, site, c);
    }

    private static final int DMUL = 107;

    /**
     * What the number in a text is as a double, without its sign: `digits * 10^e`, rounded once. There are `count` digits, and e is between `least` and
     * `most`, which are on one side of zero.
     */
    public static double decimal(String text, long digits, int e, int count, int least, int most, int sDigits, int sE, Ctx c) {
        boolean paused = pause();
        double value;
        try {
            value = Math.abs(Double.parseDouble(text));
        } finally {
            resume(paused);
        }
        c.ret = decimal('D', digits, e, count, least, most, sDigits, sE, c);
        return value;
    }

    /** The same as a float. */
    public static float decimalFloat(String text, long digits, int e, int count, int least, int most, int sDigits, int sE, Ctx c) {
        boolean paused = pause();
        float value;
        try {
            value = Math.abs(Float.parseFloat(text));
        } finally {
            resume(paused);
        }
        c.ret = decimal('F', digits, e, count, least, most, sDigits, sE, c);
        return value;
    }

    private static int decimal(char kind, long digits, int e, int count, int least, int most, int sDigits, int sE, Ctx c) {
        if ((sDigits | sE) == 0) return 0;
        return c.live ? c.decimal(kind, digits, e, count, least, most, sDigits, sE) : drop(c);
    }

    /** The two as our code for the library names them: the weaver adds the ids. */
    public static double decimal(String text, long digits, int e, int count, int least, int most) {
        return decimal(text, digits, e, count, least, most, 0, 0, ctx());
    }

    public static float decimalFloat(String text, long digits, int e, int count, int least, int most) {
        return decimalFloat(text, digits, e, count, least, most, 0, 0, ctx());
    }

    /** Division and remainder: that the divisor is not zero is a decision. */
    public static int divide(int a, int b, int sa, int sb, int op, int site, Ctx c) {
        if ((sa | sb) == 0) return 0;
        if (!c.live) return drop(c);
        if (sb != 0) c.branch(154, site, sb, b, 0, 0, b != 0);
        return b == 0 ? 0 : c.binary(op, sa, a, sb, b, false, false);
    }

    public static int divideLongs(long a, long b, int sa, int sb, int op, int site, Ctx c) {
        if ((sa | sb) == 0) return 0;
        if (!c.live) return drop(c);
        if (sb != 0) {
            int sign = c.binary(148, sb, b, 0, 0, true, true);
            c.branch(154, site, sign, b == 0 ? 0 : 1, 0, 0, b != 0);
        }
        return b == 0 ? 0 : c.binary(op, sa, a, sb, b, true, true);
    }

    private static int drop(Ctx c) {
        if (c.plain != mute) lostByThreads++;
        return 0;
    }

    /** Something is lost outside of the thread of the entry point. */
    static void lostElsewhere(Ctx c) {
        drop(c);
    }

    // ------------------------------------------------------------------ branches

    /** A comparison with zero. */
    public static void test(int a, int s, int op, int site, Ctx c) {
        if (s == 0) return;
        if (c.live) c.branch(op, site, s, a, 0, 0, holds(op - 153, a, 0));
        else drop(c);
    }

    /** A comparison of two ints. */
    public static void compare(int a, int b, int sa, int sb, int op, int site, Ctx c) {
        if ((sa | sb) == 0) return;
        if (c.live) c.branch(op, site, sa, a, sb, b, holds(op - 159, a, b));
        else drop(c);
    }

    private static boolean holds(int relation, int a, int b) {
        switch (relation) {
            case 0: return a == b;
            case 1: return a != b;
            case 2: return a < b;
            case 3: return a >= b;
            case 4: return a > b;
            default: return a <= b;
        }
    }

    /** Whether two arrays have the same elements: one decision for all of them, and none if they differ whatever the input is. */
    public static boolean equal(byte[] a, byte[] b, int site, Ctx c) {
        int length = a.length;
        boolean isOpen = c.live && c.open != null;
        if (isOpen ? !Lengths.areEqual(a, b, site, c) : length != b.length) return false;
        boolean holds = true;
        for (int i = 0; i < length; i++) holds &= a[i] == b[i];
        if (!c.live || !c.shadows.any || a == b) return holds;
        int[] as = c.shadows.ids(a, c);
        int[] bs = c.shadows.ids(b, c);
        if (as == null && bs == null) return holds;
        if (as == null) as = new int[length];
        if (bs == null) bs = new int[length];
        int n = 0;
        for (int i = 0; i < length; i++) {
            if ((as[i] | bs[i]) != 0) n++;
            else if (a[i] != b[i]) return false;
        }
        if (n > 0) c.equal(site, a, b, as, bs, n, holds);
        return holds;
    }

    /** Whether an element of the array has an id. */
    public static boolean depends(byte[] array, Ctx c) {
        return c.live && c.shadows.any && c.shadows.hasIds(array);
    }

    /** Whether a character of the text has an id, or how many there are. */
    public static boolean depends(String text, Ctx c) {
        if (!c.live) return false;
        look(text, c);
        byte[] array = (byte[]) Text.array(text);
        return length(array, c) != 0 || depends(array, c);
    }

    /** The same as our code for the library names it, where what is not woven has no ids. */
    public static boolean depends(String text) {
        return false;
    }

    /** The id of a number, likewise. */
    public static int depends(int number) {
        return 0;
    }

    /** A switch; its keys are known by its site. */
    public static void choose(int a, int s, int site, Ctx c) {
        if (s == 0) return;
        if (c.live) c.decide(171, site, s, a);
        else drop(c);
    }

    // ------------------------------------------------------------------ boxes

    /** A box of this id stands for the one that `valueOf` keeps for its value, if it keeps one. */
    public static void share(Object box, int s, Ctx c) {
        if (c.live) c.boxes.share(box, s);
        else drop(c);
    }

    /** The id of the value in a box without a shadow field. */
    public static int unbox(Object box, Ctx c) {
        return c.live && c.boxes.any ? c.boxes.id(box) : 0;
    }

    /** The value in a box without a shadow field gets this id. */
    public static void box(Object box, int s, int kind, Ctx c) {
        if (s == 0) return;
        if (c.live) c.boxes.set(box, narrow((char) kind, s, c));
        else drop(c);
    }

    /** `a == b` */
    public static boolean same(Object a, Object b, int site, Ctx c) {
        return a == b || c.live && c.boxes.any && c.boxes.same(a, b, site, c);
    }

    // ------------------------------------------------------------------ messages of exceptions

    /** The message of this object is about to be read, if it has one. */
    public static void message(Object o, Ctx c) {
        if (c.live && c.faults.any()) c.faults.read(o);
    }

    /** A message of the JVM that may name twins. */
    public static String plain(String text) {
        return Faults.plain(text);
    }

    /** An exception has been made whose message is that of its cause. */
    public static void wrapped(Throwable t, Throwable cause, Ctx c) {
        if (c.live && c.faults.any()) c.faults.wrapped(t, cause);
    }

    // ------------------------------------------------------------------ methods of Object

    /** `o.hashCode()`, where nothing is known of the object's class. */
    private static int hash(Object o, Ctx c) {
        if (o instanceof Woven) return ((Woven) o).hashCode(c);
        c.ret = 0;
        return o.hashCode();
    }

    /** The same: an object's identity has another one in each run. */
    public static int hash(Object o, int site, Ctx c) {
        int hash = hash(o, c);
        if (!(o instanceof Woven) && hash == System.identityHashCode(o)) identity(site, c);
        return hash;
    }

    /** Tables that ask a key for its hash code, one within the other: one thread at a time runs woven code. */
    private static int tables;

    /** `o.hashCode()` of a key, by a table: what follows from an identity is seen when somebody walks over the table. */
    public static int tableHash(Object o, Ctx c) {
        tables++;
        try {
            return hash(o, c);
        } finally {
            tables--;
        }
    }

    /** The hash code of an object's identity is taken. */
    public static void identity(int site, Ctx c) {
        if (tables == 0) unsteady(site, c);
    }

    /** `o.toString()`, which may show the hash code of its identity, or a name that the JVM has made. */
    public static void shows(Object o, int site, Ctx c) {
        if (isSeen(c) && o != null && (Orders.isShownByIdentity(o) || Orders.isNamedAnew(o))) unsteady(site, c);
    }

    /** The same by `super.toString()`, from a class with a text of its own. */
    public static void showsItself(Object o, int site, Ctx c) {
        if (isSeen(c) && Orders.isByIdentity(o)) unsteady(site, c);
    }

    /** The name of a class or of a thread is asked for. */
    public static void names(Object o, int site, Ctx c) {
        if (isSeen(c) && o != null && Orders.isNamedAnew(o)) unsteady(site, c);
    }

    /** The program asks for what another run answers in another way: the time, a random number, an object's identity. */
    public static void unsteady(int site, Ctx c) {
        if (c.live) c.lose(Wire.UNSTEADY, site);
        else if (isWatched) isUnsteady = true;
    }

    /** The elements of a collection are about to be taken in its order. */
    public static void walks(Object walked, int site, Ctx c) {
        if (isSeen(c) && walked != null && Orders.varies(walked)) unsteady(site, c);
    }

    /** Whether we have the program say something behind its run, and whether it asked for such a thing then. */
    private static volatile boolean isWatched;
    private static volatile boolean isUnsteady;

    private static boolean isSeen(Ctx c) {
        return c.live || isWatched;
    }

    /** What the program says from here on is no part of its run. */
    public static void watch() {
        isUnsteady = false;
        isWatched = true;
    }

    /** The end of that: whether another run could say something else. */
    public static boolean unwatch() {
        isWatched = false;
        return isUnsteady;
    }

    /** A file is about to be looked for by its name: a string, a file or a path. */
    public static void looksFor(Object name, int site, Ctx c) {
        if (!c.live || name == null) return;
        if (!new java.io.File(name.toString()).exists()) c.lose(Wire.MISSING, site);
    }

    /** The program asks for a property by its name. */
    public static void asksFor(Object name, int site, Ctx c) {
        if (c.live && name instanceof String && !((String) name).isEmpty() && System.getProperty((String) name) == null) c.lose(Wire.UNSET, site);
    }

    /** What the program found of a property or of a variable of the environment. */
    public static String found(String value, int site, Ctx c) {
        if (value == null && c.live) c.lose(Wire.UNSET, site);
        return value;
    }

    /** `o.equals(other)`, where nothing is known of the object's class. */
    public static boolean equal(Object o, Object other, Ctx c) {
        if (o instanceof Woven) return ((Woven) o).equals(other, c);
        escape(other, Wire.LOST_CALL, -1, c);
        c.ret = 0;
        return o.equals(other);
    }

    // ------------------------------------------------------------------ results, fields

    public static void result(int s, Ctx c) {
        back(c);
        c.ret = c.live ? s : 0;
    }

    /** A result that code which is not woven gets. */
    public static void give(int site, Ctx c) {
        if (c.ret != 0) c.lose(Wire.LOST_RESULT, site);
    }

    // ------------------------------------------------------------------ arrays

    /** The size of a new array: not negative, and then one value of many. */
    public static void size(int n, int s, int site, Ctx c) {
        if (s == 0) return;
        decideSize(n, s, site, c);
        if (n < 0 && c.live) throw c.faults.size(n, s);
    }

    private static void decideSize(int n, int s, int site, Ctx c) {
        if (s == 0) return;
        if (!c.live) { drop(c); return; }
        c.branch(156, site, s, n, 0, 0, n >= 0);
        if (n >= 0) c.decide(Wire.VALUE, site, s, n);
    }

    /** An index into an array of references: inside, and then one value of many. */
    public static void index(Object array, int i, int s, int site, Ctx c) {
        reach(array, i, s, site, c);
        if (s == 0 || array == null) return;
        if (!c.live) { drop(c); return; }
        int length = Shadows.length(array);
        if (!inside(length, i, s, site, c)) throw c.faults.index(i, s, length);
        c.decide(Wire.VALUE, site, s, i);
    }

    /** An offset of an element of an array of references, which has no more than 31 bits: one value of many. */
    public static void offset(long at, int s, int site, Ctx c) {
        if (s == 0) return;
        if (c.live) c.decide(Wire.VALUE, site, c.unary(136, s), (int) at);
        else drop(c);
    }

    /** A number that code which is not woven takes: one value of many. */
    public static void one(long n, int s, boolean isLong, int site, Ctx c) {
        if (s == 0) return;
        if (!c.live) {
            drop(c);
            return;
        }
        if (isLong) {
            c.decide(Wire.VALUE, site, c.unary(136, c.binary(125, s, n, 0, 32, true, false)), (int) (n >>> 32));
            s = c.unary(136, s);
        }
        c.decide(Wire.VALUE, site, s, (int) n);
    }

    static boolean inside(int length, int i, int s, int site, Ctx c) {
        boolean holds = i >= 0 && i < length;
        c.decide(Wire.BOUNDS | (holds ? Wire.HOLDS : 0), site, s, length);
        return holds;
    }

    /** The id of an element that is about to be read. */
    public static int load(Object array, int i, int s, int site, Ctx c) {
        Shadows shadows = c.shadows;
        reach(array, i, s, site, c);
        if (s == 0 && !shadows.any) return 0;
        int id = slowLoad(array, i, s, site, c);
        if (s != 0) outside(array, i, s, c);
        return id;
    }

    /** Raises the exception of an index that depends on input. */
    private static void outside(Object array, int i, int s, Ctx c) {
        if (array == null || !c.live) return;
        int length = Shadows.length(array);
        if (i < 0 || i >= length) throw c.faults.index(i, s, length);
    }

    /** Arrays with more elements are read at one index at a time. */
    private static final int MOST = 1 << 16;

    static int slowLoad(Object array, int i, int s, int site, Ctx c) {
        if (array == null) return 0;
        if (!c.live) return s == 0 ? 0 : drop(c);
        int length = Shadows.length(array);
        if (s != 0) {
            if (!inside(length, i, s, site, c)) return 0;
            if (length > MOST) {
                c.decide(Wire.VALUE, site, s, i);
                s = 0;
            }
        } else if (i < 0 || i >= length) {
            return 0;
        }
        if (s == 0) {
            Shadows.Entry e = c.shadows.find(array);
            if (e == null) return 0;
            e.isRead = true;
            if (e.ids == null) return 0;
            return e.written ? c.select(e.expression, i, true) : e.ids.get(i);
        }
        Shadows.Entry e = c.shadows.make(array);
        if (e == null) {
            // Elements without ids: their values at this moment are what is read.
            e = new Shadows.Entry(array);
            e.ids = new Ids(length);
        }
        e.isRead = true;
        return c.select(expression(e, c), s, false);
    }

    private static int expression(Shadows.Entry e, Ctx c) {
        if (e.expression == 0) e.expression = c.array(e);
        return e.expression;
    }

    /** An element is about to be written. */
    public static void store(Object array, int i, long value, int s, int sValue, int site, Ctx c) {
        reach(array, i, s, site, c);
        if ((s | sValue) == 0 && !c.shadows.any) return;
        slowStore(array, i, value, s, sValue, site, c);
        if (s != 0) outside(array, i, s, c);
    }

    private static void slowStore(Object array, int i, long value, int s, int sValue, int site, Ctx c) {
        if (array == null) return;
        if (!c.live) {
            if ((s | sValue) != 0) drop(c);
            return;
        }
        int length = Shadows.length(array);
        if (i >= length) c.asked.overruns(array);
        if (s != 0) {
            if (!inside(length, i, s, site, c)) return;
        } else if (i < 0 || i >= length) {
            return;
        }
        Shadows.Entry e = (s | sValue) == 0 ? c.shadows.find(array) : c.shadows.make(array);
        if (e == null || e.ids == null) {
            if ((s | sValue) != 0) c.lose(Wire.LOST_CALL, site);
            if (s != 0) c.decide(Wire.VALUE, site, s, i);
            return;
        }
        if (s != 0 && length > MOST) {
            c.decide(Wire.VALUE, site, s, i);
            s = 0;
        }
        char kind = Shadows.kind(array);
        if (sValue != 0) sValue = narrow(kind, sValue, c);
        if (s == 0 && !e.written) {
            e.ids.set(i, sValue);
            e.expression = 0;
            return;
        }
        e.expression = c.store(expression(e, c), s, i, sValue, value, kind == 'J' || kind == 'D');
        e.written = true;
    }

    /** What is left of an int in a field or an element of this type. */
    private static int narrow(char kind, int s, Ctx c) {
        switch (kind) {
            case 'B': return c.unary(145, s);
            case 'C': return c.unary(146, s);
            case 'S': return c.unary(147, s);
            case 'Z': return c.binary(126, s, 0, 0, 1, false, false);
            default: return s;
        }
    }

    /** The id that a field of this type gets. */
    public static int narrow(int s, int kind, Ctx c) {
        if (s == 0) return 0;
        return c.live ? narrow((char) kind, s, c) : drop(c);
    }

    /** `array.clone()`, which was made: what has an id in the array has it in the copy. */
    public static void copied(Object array, Object copy, Ctx c) {
        settle(array, c);
        if (c.live && c.shadows.any) c.shadows.copy(array, 0, copy, 0, Shadows.length(copy));
    }

    /** `System.arraycopy`: which elements are copied must not depend on input. */
    public static void arraycopy(Object from, int i, Object to, int j, int n, int si, int sj, int sn, int site, Ctx c) {
        settle(from, c);
        settle(to, c);
        if ((si | sj | sn) != 0) {
            if (c.live) {
                if (si != 0) c.decide(Wire.VALUE, site, si, i);
                if (sj != 0) c.decide(Wire.VALUE, site, sj, j);
                if (sn != 0) c.decide(Wire.VALUE, site, sn, n);
            } else {
                drop(c);
            }
        }
        if (c.live && to != null && to.getClass().isArray() && n > Shadows.length(to) - j) c.asked.overruns(to);
        System.arraycopy(from, i, to, j, n);
        if (c.live && c.shadows.any && !c.shadows.copy(from, i, to, j, n)) c.lose(Wire.LOST_CALL, site);
    }

    // ------------------------------------------------------------------ what the library asks of what it is given

    /** The program hands this to a method of the library that asks something of it: `row` says which, and what. */
    public static void asks(Object subject, int row, Ctx c) {
        if (c.live) c.asked.asks(row, subject, 0);
    }

    /** The same of a number with this id. */
    public static void asks(int id, int row, Ctx c) {
        if (c.live) c.asked.asks(row, null, id);
    }

    // ------------------------------------------------------------------ methods whose own values have no ids

    /** The id of a value that comes to such a method. */
    public static void bare(int s, int site, Ctx c) {
        if (s != 0) c.lose(Wire.LOST_METHOD, site);
    }

    /** An element is about to be read. */
    public static void bareLoad(Object array, int i, int site, Ctx c) {
        settle(array, c);
        if (c.shadows.any) bare(slowLoad(array, i, 0, site, c), site, c);
    }

    /** An element is about to be written. */
    public static void bareStore(Object array, int i, int value, Ctx c) {
        bareStore(array, i, (long) value, c);
    }

    public static void bareStore(Object array, int i, long value, Ctx c) {
        settle(array, c);
        if (c.shadows.any) slowStore(array, i, value, 0, 0, -1, c);
    }

    public static void bareStore(Object array, int i, float value, Ctx c) {
        bareStore(array, i, (long) Float.floatToRawIntBits(value), c);
    }

    public static void bareStore(Object array, int i, double value, Ctx c) {
        bareStore(array, i, Double.doubleToRawLongBits(value), c);
    }

    // ------------------------------------------------------------------ check mode

    public static void check(int value, int s, int kind, Ctx c) {
        if (s != 0 && c.live) c.check(kind, s, value);
    }

    public static void check(long value, int s, int kind, Ctx c) {
        if (s != 0 && c.live) c.check(kind, s, value);
    }

    public static void check(float value, int s, int kind, Ctx c) {
        if (s != 0 && c.live) c.check(kind, s, Float.floatToRawIntBits(value));
    }

    public static void check(double value, int s, int kind, Ctx c) {
        if (s != 0 && c.live) c.check(kind, s, Double.doubleToRawLongBits(value));
    }

    // ------------------------------------------------------------------ input

    /** One value of input; its id is the context's result. */
    public static long symbol(String name, int kind, Ctx c) {
        long[] values = new long[1];
        c.ret = c.live ? c.symbol((char) kind, name, values) : 0;
        return values[0];
    }

    /** Fills an array with input. */
    public static void symbols(Object array, String name, Ctx c) {
        if (!c.live) return;
        int length = Shadows.length(array);
        char kind = Shadows.kind(array);
        long[] values = new long[length];
        int first = c.symbol(kind, name, values);
        Shadows.Entry e = c.shadows.make(array);
        for (int i = 0; i < length; i++) {
            Shadows.set(array, i, values[i]);
            e.ids.set(i, first + i);
        }
    }

    public static byte[] symbolicBytes(String name, int n, int sn, int site, Ctx c) {
        size(n, sn, site, c);
        byte[] array = new byte[n];
        symbols(array, name, c);
        return array;
    }

    public static char[] symbolicChars(String name, int n, int sn, int site, Ctx c) {
        size(n, sn, site, c);
        char[] array = new char[n];
        symbols(array, name, c);
        return array;
    }

    public static int[] symbolicInts(String name, int n, int sn, int site, Ctx c) {
        size(n, sn, site, c);
        int[] array = new int[n];
        symbols(array, name, c);
        return array;
    }

    /** The longest text that the program is given where neither it nor the user sets a limit. */
    private static final int USUAL = 12;
    /** And where it sets no lesser one. */
    private static int longest = USUAL;
    /** Whether the user has said so: then longer ones are not what the run is about, else they are left out. */
    private static boolean isSaid;

    /** The user says how long texts are; -1 for nothing said. */
    public static void limitTexts(int n) {
        isSaid = n >= 0;
        longest = isSaid ? n : USUAL;
    }

    /** A length from 0 to the most, each of which is a path of its own. */
    public static int symbolicLength(String name, int most, int s, int site, Ctx c) {
        if (!c.live) return 0;
        decideSize(most, s, site, c);
        int last = Math.max(0, Math.min(most, longest));
        int n = (int) symbol(name, 'C', c);
        int id = c.ret;
        c.put(Wire.RANGE, id, 0, last);
        if (n > last) throw new RunEnd("assume");
        c.decide(Wire.VALUE, site, id, n);
        if (last < most && !isSaid) c.lose(Wire.LOST_INPUT, site);
        return n;
    }

    /** The characters of a text. */
    public static char[] symbolicText(String name, int most, int s, int site, Ctx c) {
        int n = symbolicLength(name + ".length", most, s, site, c);
        return symbolicChars(name, n, 0, site, c);
    }

    /** The program goes on only if this is not zero. */
    public static void assume(int value, int s, int site, Ctx c) {
        if (c.live && s != 0) c.put(Wire.ASSUME | (value != 0 ? Wire.HOLDS : 0), site, s);
        if (value == 0) throw new RunEnd("assume");
    }
}
