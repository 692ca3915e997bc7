package polypath;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What woven code knows of the run: the id of the last result, the steps that are left, and the stream of records.
 *
 * There are two of them: that of the program's threads, of which one runs at a time ({@link Threads}), which records, and one for the JDK's
 * own threads, in which every id is lost. A record is written whole or not at all, even if the stack overflows on the way: a
 * short one calls nothing between its first and its last word, and `count` moves at the end; a long one probes the stack.
 */
public final class Ctx {
    /** Id of the primitive that the last woven call returned. */
    public int ret;

    /** Steps (instructions of the program's own classes) that the run may still take before other threads have a turn. */
    public long steps;
    /** And after that. */
    private long moreSteps;

    /** How often loops of the JDK may still go round in the run, likewise. */
    long turns;
    private long moreTurns;

    /** The most steps, and turns of loops, that a thread takes while others could go on. */
    private static final long SLICE = 1 << 16;

    /** The block of the program that runs, -1 before the first one, and the last one that Polypath heard of. */
    public int at;
    private int toldAt;

    /** Blocks that any run has executed: their names, or that they have none ({@link #NAMELESS}). */
    int[] seen = new int[1024];
    static final int NAMELESS = 1;

    /** The way of the run through the named blocks ({@link Way}), and before the class that begins. */
    long way;
    long wayBefore;
    /** Classes that begin, one for the sake of the other. */
    int beginning;
    /** Whether one of them did not come to its end. */
    private boolean hasBroken;
    /** Whether a plain JVM could not take the same way, or counts it otherwise. */
    private boolean isWayLost;

    /** This one, if it is a form that only says something to a guard: the one that is meant. */
    public final Ctx plain;
    /** The same for a twin that is to run itself, whatever the object's class. */
    public final Ctx direct;

    final boolean live;
    private final FileOutputStream out;
    private final int[] words;
    private final ByteBuffer bytes;
    private int count;
    private static final int MOST_IDS = 1 << 30;

    private int nextId = 1;
    /** The first id of the run. */
    private int first = 1;
    private int nextArray = 1;
    private Map<String, long[]> input;
    private final Map<String, Integer> names;
    private Throwable[] raised;
    private int raisedCount;
    private Throwable thrown;
    /** Whether the handle that is about to be called leads to code that is not woven. */
    boolean isForeignCall;
    /** Strings of input at which the program has not looked; null for none. */
    Texts.Unread unread;
    /** Arrays of input whose length is not decided; null for none. */
    Lengths.Open open;
    /** Parameters that the method under test has not read; null for none. */
    public Pending pending;
    final Shadows shadows = new Shadows();
    final SharedBoxes boxes = new SharedBoxes();
    final Faults faults = new Faults();
    /** What the library was given last. */
    public final Asked asked = new Asked();
    /** Whether every result is sent, too. */
    public static boolean checks;

    /** Of a thread that records nothing. It is made before most of the library can be used, so it makes nothing itself. */
    Ctx() {
        this((Ctx) null);
    }

    private Ctx(Ctx plain) {
        this.plain = plain == null ? this : plain;
        direct = plain == null ? new Ctx(this) : null;
        out = null;
        live = false;
        words = null;
        bytes = null;
        names = null;
        told = null;
    }

    /** Of the thread that records. */
    Ctx(FileOutputStream out) {
        plain = this;
        direct = new Ctx(this);
        this.out = out;
        live = true;
        words = new int[1 << 15];
        bytes = ByteBuffer.allocate(4 << 15).order(ByteOrder.LITTLE_ENDIAN);
        names = new HashMap<>();
        told = new ConcurrentLinkedQueue<>();
        reset(new HashMap<>(), Long.MAX_VALUE);
    }

    /** A run begins. Its ids are new: one that the JDK kept from an earlier run is known by that. */
    public void begin(Map<String, long[]> values, long budget) {
        if (nextId > MOST_IDS) nextId = 1;
        first = nextId;
        put(Wire.FIRST, first);
        Threads.begin();
        reset(values, budget);
    }

    /** Another program follows: nobody has heard of the blocks that it comes through. */
    public void forget() {
        seen = new int[1024];
        told.clear();
        RT.forgetNames();
    }

    /** The way begins, with the first block of the entry point. */
    public void beginWay() {
        way = Way.BEGIN;
        hasBroken |= beginning > 0;
        beginning = 0;
        isWayLost = false;
    }

    /** Whether the run ended while a class began, or one failed to. */
    public boolean isBeginning() {
        return hasBroken || beginning > 0;
    }

    /** Nobody can tell the way. */
    public void loseWay() {
        isWayLost = true;
    }

    /** The way so far; 0 if nobody can tell. */
    public long way() {
        return isWayLost ? 0 : way;
    }

    private void reset(Map<String, long[]> values, long budget) {
        beginWay();
        hasBroken = false;
        input = values;
        names.clear();
        symbols = 0;
        unread = null;
        open = null;
        pending = null;
        shadows.clear();
        boxes.clear();
        faults.clear();
        asked.clear();
        steps = 0;
        moreSteps = budget;
        turns = 0;
        moreTurns = budget;
        refill();
        ret = 0;
        at = -1;
        toldAt = -1;
        nextArray = 1;
        raised = new Throwable[16];
        raisedCount = 0;
        thrown = null;
    }

    /** The next slice. Whether the run may go on. */
    boolean refill() {
        long slice = Math.min(moreSteps, SLICE);
        if (steps < slice) {
            steps += slice;
            moreSteps -= slice;
        }
        slice = Math.min(moreTurns, SLICE);
        if (turns < slice) {
            turns += slice;
            moreTurns -= slice;
        }
        return steps >= 0 && turns >= 0;
    }

    /** Steps that are left of the run's. */
    public long left() {
        return steps + moreSteps;
    }

    /** The run has no limit from now on. */
    public void unlimited() {
        moreSteps = Long.MAX_VALUE / 2;
        moreTurns = Long.MAX_VALUE / 2;
        refill();
    }

    // ------------------------------------------------------------------ the stream

    /** Makes room for a record of so many words, and gives the place of its first. */
    private int room(int size) {
        if (count + size > words.length) flush();
        return count;
    }

    /**
     * Takes as much stack as a long record may need, before its first word is written: if it is not there, the program
     * overflows here, and no record is torn.
     */
    private static int probe(int depth) {
        return depth == 0 ? 0 : 1 + probe(depth - 1);
    }

    /** Sends what is buffered. If the stack overflows here, all of it stays buffered. */
    public void flush() {
        if (count == 0) return;
        boolean paused = RT.pause();
        try {
            bytes.clear();
            bytes.asIntBuffer().put(words, 0, count);
            out.write(bytes.array(), 0, 4 * count);
            count = 0;
        } catch (IOException e) {
            // Polypath is gone, and so is the reason to run.
            Runtime.getRuntime().halt(3);
        } finally {
            RT.resume(paused);
        }
    }

    /** A record that ends in text: the words of the head, the length in bytes, the bytes. */
    public void text(int op, int a, int b, int heads, String text) {
        probe(16);
        boolean paused = RT.pause();
        byte[] utf;
        try {
            utf = text.getBytes(StandardCharsets.UTF_8);
        } finally {
            RT.resume(paused);
        }
        int length = (utf.length + 3) / 4;
        int at = room(Math.min(heads + 2, words.length));
        words[at] = op;
        if (heads > 0) words[at + 1] = a;
        if (heads > 1) words[at + 2] = b;
        words[at + 1 + heads] = utf.length;
        count = at + 2 + heads;
        for (int i = 0; i < length; i++) {
            int word = 0;
            for (int k = 0; k < 4 && 4 * i + k < utf.length; k++) word |= (utf[4 * i + k] & 255) << (8 * k);
            at = room(1);
            words[at] = word;
            count = at + 1;
        }
    }

    /** An operation on one operand. */
    int unary(int op, int a) {
        int at = room(2);
        words[at] = op;
        words[at + 1] = a;
        count = at + 2;
        return nextId++;
    }

    /** An operation on two operands: ids, or where they are 0 the values. */
    int binary(int op, int sa, long a, int sb, long b, boolean wideA, boolean wideB) {
        int at = room(6);
        int to = operands(at + 1, sa, a, sb, b, wideA, wideB);
        words[at] = op | (sa == 0 ? Wire.FIRST_CONSTANT : 0) | (sb == 0 ? Wire.SECOND_CONSTANT : 0);
        count = to;
        return nextId++;
    }

    private int operands(int to, int sa, long a, int sb, long b, boolean wideA, boolean wideB) {
        if (sa != 0) {
            words[to++] = sa;
        } else {
            words[to++] = (int) a;
            if (wideA) words[to++] = (int) (a >>> 32);
        }
        if (sb != 0) {
            words[to++] = sb;
        } else {
            words[to++] = (int) b;
            if (wideB) words[to++] = (int) (b >>> 32);
        }
        return to;
    }

    /** A number in text ({@link RT#decimal}). */
    int decimal(char kind, long digits, int e, int places, int least, int most, int sDigits, int sE) {
        int at = room(8);
        words[at + 1] = kind;
        words[at + 2] = places;
        words[at + 3] = least;
        words[at + 4] = most;
        int to = operands(at + 5, sDigits, digits, sE, e, true, false);
        words[at] = Wire.DECIMAL | (sDigits == 0 ? Wire.FIRST_CONSTANT : 0) | (sE == 0 ? Wire.SECOND_CONSTANT : 0);
        count = to;
        return nextId++;
    }

    /** A branch on one or two ints. */
    void branch(int op, int site, int sa, int a, int sb, int b, boolean holds) {
        isQuiet();
        if (site >= Wire.JDK && at != toldAt) tellAt();
        int at = room(6);
        int to = operands(at + 2, sa, a, sb, b, false, false);
        words[at] = op | (sa == 0 ? Wire.FIRST_CONSTANT : 0) | (sb == 0 ? Wire.SECOND_CONSTANT : 0)
                | (holds ? Wire.HOLDS : 0);
        words[at + 1] = site;
        count = to;
    }

    /** A decision at a place on what an id stands for. */
    void decide(int head, int site, int id, int value) {
        isQuiet();
        if (site >= Wire.JDK && at != toldAt) tellAt();
        put(head, site, id, value);
    }

    /** A decision at a place on whether all elements of two arrays are equal, of which these have ids. */
    void equal(int site, byte[] a, byte[] b, int[] as, int[] bs, int n, boolean holds) {
        isQuiet();
        probe(16);
        if (site >= Wire.JDK && at != toldAt) tellAt();
        put(Wire.ALL_EQUAL | (holds ? Wire.HOLDS : 0), site, n);
        for (int i = 0; i < as.length; i++) {
            if ((as[i] | bs[i]) == 0) continue;
            boolean isFirst = as[i] != 0;
            put(isFirst ? as[i] : bs[i], isFirst ? bs[i] : 0, isFirst ? b[i] : a[i]);
        }
    }

    /** A decision on whether each of so many ids, from this one on, is at most that. That one is greater can wait. */
    void within(int first, int n, int most, boolean holds) {
        isQuiet();
        int at = room(5);
        words[at] = Wire.ALL_WITHIN | (holds ? Wire.HOLDS | Wire.CAN_WAIT : 0);
        words[at + 1] = -1;
        words[at + 2] = first;
        words[at + 3] = n;
        words[at + 4] = most;
        count = at + 5;
    }

    private void tellAt() {
        put(Wire.AT, at);
        toldAt = at;
    }

    /** A record of an operation and some words. */
    public void put(int head, int a, int b, int c) {
        int at = room(4);
        words[at] = head;
        words[at + 1] = a;
        words[at + 2] = b;
        words[at + 3] = c;
        count = at + 4;
    }

    public void put(int head, int a, int b) {
        int at = room(3);
        words[at] = head;
        words[at + 1] = a;
        words[at + 2] = b;
        count = at + 3;
    }

    void put(int head, int a) {
        int at = room(2);
        words[at] = head;
        words[at + 1] = a;
        count = at + 2;
    }

    /** The value of an id, in check mode. */
    void check(int kind, int id, long value) {
        int at = room(5);
        words[at] = Wire.CHECK;
        words[at + 1] = kind;
        words[at + 2] = id;
        words[at + 3] = (int) value;
        words[at + 4] = (int) (value >>> 32);
        count = at + 5;
    }

    /** What the weaver said of classes and nobody has sent yet. */
    private final ConcurrentLinkedQueue<String> told;

    /** Says what a class consists of: before any of its blocks runs. */
    public void meta(String text) {
        told.add(text);
    }

    /** Sends what the weaver said. */
    void tell() {
        boolean paused = RT.pause();
        try {
            for (String text = told.poll(); text != null; text = told.poll()) text(Wire.META, 0, 0, 0, text);
        } finally {
            RT.resume(paused);
        }
    }

    void cover(int site) {
        tell();
        put(Wire.COVER, site);
    }

    /** What is said to come about without decisions has none. */
    private void isQuiet() {
        if (pending != null && pending.isMaking()) throw new RunEnd("unsupported decision while the value of a parameter is made");
    }

    /** The driver has chosen, which is a decision of the path: now, or when the parameter is read that it is about. */
    public void choose(int record, int id, int value) {
        if (pending != null && pending.isMaking()) pending.choice(record, id, value);
        else put(record, -1, id, value);
    }

    public void lose(int what, int site) {
        if (live) put(Wire.LOSS, what, site);
        else RT.lostElsewhere(this);
    }

    // ------------------------------------------------------------------ arrays

    int array(Shadows.Entry e) {
        probe(16);
        Object array = e.array;
        int length = java.lang.reflect.Array.getLength(array);
        char kind = Shadows.kind(array);
        boolean wide = kind == 'J' || kind == 'D';
        int at = room(3);
        words[at] = Wire.ARRAY;
        words[at + 1] = kind;
        words[at + 2] = length;
        count = at + 3;
        for (int i = 0; i < length; i++) {
            // The value of an element with an id is no part of the expression: it differs from run to run.
            long value = e.ids.get(i) == 0 ? Shadows.value(array, i) : 0;
            at = room(2);
            words[at] = (int) value;
            if (wide) words[at + 1] = (int) (value >>> 32);
            count = at + (wide ? 2 : 1);
        }
        at = room(1);
        words[at] = e.ids.count();
        count = at + 1;
        for (int i = 0; i < length; i++) {
            int id = e.ids.get(i);
            if (id == 0) continue;
            at = room(2);
            words[at] = i;
            words[at + 1] = id;
            count = at + 2;
        }
        return nextArray++;
    }

    int select(int array, int index, boolean constant) {
        put(Wire.SELECT | (constant ? Wire.SECOND_CONSTANT : 0), array, index);
        return nextId++;
    }

    int store(int array, int sIndex, int index, int sValue, long value, boolean wide) {
        int at = room(6);
        words[at + 1] = array;
        int to = operands(at + 2, sIndex, index, sValue, value, false, wide);
        words[at] = Wire.STORE | (sIndex == 0 ? Wire.FIRST_CONSTANT : 0) | (sValue == 0 ? Wire.SECOND_CONSTANT : 0);
        count = to;
        return nextArray++;
    }

    // ------------------------------------------------------------------ input

    /** Objects of input that the run has asked for, whoever did. */
    private int symbols;

    public int symbols() {
        return symbols;
    }

    /** The id of the first of `n` values of input, and their values in this run. */
    int symbol(char kind, String name, long[] values) {
        boolean paused = RT.pause();
        String unique = name;
        try {
            Integer before = names.get(name);
            int nth = before == null ? 1 : before + 1;
            names.put(name, nth);
            if (nth > 1) unique = name + "#" + nth;
            long[] given = input.get(unique);
            if (given != null) System.arraycopy(given, 0, values, 0, Math.min(given.length, values.length));
        } finally {
            RT.resume(paused);
        }
        symbols++;
        text(Wire.SYMBOL, kind, values.length, 2, unique);
        int first = nextId;
        nextId += values.length;
        return first;
    }

    boolean hasInput() {
        return nextId > first;
    }

    // ------------------------------------------------------------------ exceptions

    /** The program is about to throw this. */
    void thrown(Throwable t) {
        for (int i = 0; i < raisedCount; i++) if (raised[i] == t) return;
        thrown = t;
    }

    /** What is about to be thrown, for what was. */
    Throwable swapThrown(Throwable t) {
        Throwable was = thrown;
        thrown = t;
        return was;
    }

    /** A handler of the program has this. */
    void caught(Throwable t) {
        if (t instanceof RunEnd) throw (RunEnd) t;
        RunEnd end = Threads.ended();
        if (end != null) throw end;
        passed(t);
    }

    /** A handler has it that passes it on. */
    void passed(Throwable t) {
        // How deep the stack may be, how much memory there is and which classes failed before differ between JVMs.
        if (t instanceof VirtualMachineError || t instanceof LinkageError) loseWay();
        if (t == thrown || t instanceof RunEnd) return;
        if (raisedCount == raised.length) raised = java.util.Arrays.copyOf(raised, 2 * raisedCount);
        raised[raisedCount++] = t;
    }

    /** Whether the program's own code threw it, and not the JVM or the library. */
    public boolean isDeliberate(Throwable t) {
        return t == thrown;
    }

    /** Whether nothing was seen to read the elements of the array, which was made of input. */
    public boolean isUnread(Object array) {
        Shadows.Entry e = shadows.find(array);
        return e != null && !e.isRead;
    }
}
