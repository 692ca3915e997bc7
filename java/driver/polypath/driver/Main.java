package polypath.driver;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import polypath.Ctx;
import polypath.InputFiles;
import polypath.Output;
import polypath.RT;
import polypath.RunEnd;
import polypath.Threads;
import polypath.Wire;
import polypath.weave.Flow;
import polypath.weave.Image;
import polypath.weave.Sites;

/**
 * Runs a method of a program again and again, each time on the input that Polypath sends. Standard input and output are the
 * channel to Polypath; the program has others.
 */
public final class Main {
    private Main() {}

    /** How the process ends when a run takes longer than it may by the clock. */
    private static final int HANGS = 86;

    /** Of the run that goes on; null between two. */
    private static volatile Patience patience;
    private static volatile Ctx live;

    public static void main(String[] args) {
        PrintStream errors = System.err;
        try {
            Image.originals(Path.of(args[1]));
            tell(args[2]);
            serve(args[0]);
        } catch (Throwable t) {
            t.printStackTrace(errors);
            Runtime.getRuntime().halt(1);
        }
    }

    /** Tells the program the place of the user's JDK. (The JDK itself has read these properties when it started.) */
    private static void tell(String home) {
        System.setProperty("java.home", home);
        System.setProperty("sun.boot.library.path", home + "/lib");
    }

    /** `standIns`: the directory with the classes that stand in for those of other tools. */
    private static void serve(String standIns) throws Exception {
        DataInputStream in = new DataInputStream(new java.io.BufferedInputStream(new FileInputStream(FileDescriptor.in)));
        Ctx c = RT.own(new FileOutputStream(FileDescriptor.out));
        live = c;
        // What the driver does between runs is none of them.
        RT.pause();
        Output output = new Output();
        System.setIn(new ByteArrayInputStream(new byte[0]));
        System.setOut(output);
        System.setErr(output);
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        Thread clock = new Thread(group.getParent(), () -> watch(group), "polypath clock");
        clock.setDaemon(true);
        clock.start();
        Scene scene = new Scene();
        Sites.to((number, method, instruction, what) ->
                c.meta(number + "\t" + method + "\t" + instruction + "\t" + what));
        Flow.to(c::meta);
        // A JVM that is lent serves one entry point after the other.
        while (serve(in, standIns, c, output, scene)) c.forget();
    }

    /** In the place of a number of steps: this entry point is done with, and another one may follow. */
    private static final long NEXT = -1;

    /** Serves one entry point. Whether another one follows. */
    private static boolean serve(DataInputStream in, String standIns, Ctx c, Output output, Scene scene) throws Exception {
        AppLoader.Program program;
        AppLoader loader;
        Entry entry;
        try {
            int parts;
            try {
                parts = in.readInt();
            } catch (EOFException e) {
                return false;
            }
            String[] path = new String[parts];
            for (int k = 0; k < path.length; k++) path[k] = in.readUTF();
            String name = in.readUTF();
            int least = in.readInt();
            int first = in.readInt();
            Inputs.Sizes arrays = new Inputs.Sizes(least, first, in.readInt());
            Inputs.Sizes strings = new Inputs.Sizes(least, first, in.readInt());
            int text = in.readInt();
            RT.limitTexts(text);
            Ctx.checks = in.readBoolean();
            program = new AppLoader.Program(path, standIns, name, Ctx.checks, c::meta);
            loader = new AppLoader(program);
            Arguments arguments = Arguments.read(in);
            entry = new Entry(name, loader, arrays, strings, arguments);
        } catch (Entry.Refused e) {
            c.text(Wire.ANSWER, 0, 0, 0, "refused\n" + e.getMessage());
            c.flush();
            return isNext(in, c);
        }
        StringBuilder answer = new StringBuilder("ready\n").append(entry.description);
        answer.append('\n').append(entry.facts);
        c.text(Wire.ANSWER, 0, 0, 0, answer.toString());
        c.flush();
        while (true) {
            long budget;
            try {
                budget = in.readLong();
            } catch (EOFException e) {
                return false;
            }
            if (budget == NEXT) return goOn(in, c);
            long limit = in.readLong();
            Map<String, long[]> values = values(in);
            // A class that did not come to the end of its beginning is broken for all that follows.
            if (program.hasState || c.isBeginning() || !loader.haveTablesBegun()) loader = new AppLoader(program);
            boolean isClear = scene.clear();
            patience = new Patience(limit);
            c.begin(values, budget);
            Entry.Outcome outcome = new Entry.Outcome();
            NoInput none = new NoInput();
            System.setIn(none);
            outcome.left = budget;
            String end = isClear ? run(entry, loader, c, outcome) : "unsupported " + Scene.LEFT;
            // Threads go on beside the entry point, in one order of many.
            if (Threads.wereMany()) {
                RT.lost(1, Wire.LOST_ORDER, -1, c);
                outcome.way = 0;
            }
            boolean goesOn = Threads.end();
            // What was read of files of input in ways that are not followed.
            for (int n = InputFiles.takeLost(); n > 0; n--) RT.lost(1, Wire.LOST_FILE, -1, c);
            int ends = InputFiles.readToEnd() + (entry.readsToEnd() || none.isRead() ? 1 : 0);
            for (int n = ends; n > 0; n--) RT.lost(1, Wire.END_OF_INPUT, -1, c);
            InputFiles.end();
            patience = null;
            String printed = output.take();
            if (!printed.isEmpty()) c.text(Wire.OUTPUT, 0, 0, 0, printed);
            String source = outcome.source == null ? "" : outcome.asked + source(outcome.source);
            String last = goesOn ? "" : "last";
            c.text(Wire.END, 0, 0, 0, (budget - outcome.left) + "\n" + way(outcome) + "\n" + RT.takeLostByThreads() + "\n" + last + "\n" + source + "\n" + end);
            c.flush();
            // Threads of the run that cannot be ended would meet the next one.
            if (!goesOn) Runtime.getRuntime().halt(0);
        }
    }

    /** Whether another entry point follows one that cannot be called. */
    private static boolean isNext(DataInputStream in, Ctx c) throws IOException {
        try {
            return in.readLong() == NEXT && goOn(in, c);
        } catch (EOFException e) {
            return false;
        }
    }

    /** The word with which the lender asks is the last that it hears of what was before. */
    private static boolean goOn(DataInputStream in, Ctx c) throws IOException {
        c.text(Wire.ANSWER, 0, 0, 0, in.readUTF());
        c.flush();
        return true;
    }

    private static Map<String, long[]> values(DataInputStream in) throws IOException {
        Map<String, long[]> values = new HashMap<>();
        int objects = in.readInt();
        for (int k = 0; k < objects; k++) {
            String name = in.readUTF();
            long[] all = new long[in.readInt()];
            for (int i = 0; i < all.length; i++) all[i] = in.readLong();
            values.put(name, all);
        }
        return values;
    }

    /** The way of a run that another JVM can take: one that runs out of stack or memory may be another one there. */
    private static String way(Entry.Outcome outcome) {
        boolean differs = outcome.thrown instanceof VirtualMachineError || outcome.thrown instanceof LinkageError;
        return differs ? "0" : Long.toHexString(outcome.way);
    }

    /** The object and the arguments, each after a tab; a question mark where source cannot make one. */
    private static String source(List<String> all) {
        StringBuilder line = new StringBuilder();
        for (String one : all) line.append('\t').append(one == null ? "?" : one);
        return line.toString();
    }

    /** Runs once, and says how it ended. */
    private static String run(Entry entry, AppLoader loader, Ctx c, Entry.Outcome outcome) {
        Thread.currentThread().setContextClassLoader(loader);
        Thread.setDefaultUncaughtExceptionHandler(Threads::uncaught);
        RT.resume(true);
        try {
            entry.call(loader, c, outcome);
            if (!(outcome.thrown instanceof RunEnd)) Threads.drain();
        } catch (RunEnd e) {
            return e.how;
        } catch (Exception e) {
            return "unsupported call of the entry point: " + e;
        } finally {
            RT.take();
            outcome.left = c.left();
        }
        if (Threads.ended() != null) return Threads.ended().how;
        Throwable t = outcome.thrown;
        if (t instanceof RunEnd) return ((RunEnd) t).how;
        boolean isOfThread = t == null && Threads.uncaught() != null;
        if (isOfThread) t = Threads.uncaught();
        if (t == null) {
            RT.watch();
            String said = Said.returned(outcome.type, outcome.value, entry.literals);
            return "return\n" + (RT.unwatch() ? Said.withoutWords(said) : said);
        }
        if (isOurs(t)) return "unsupported memory for the ids of a large array";
        // What is asked of the exception may run code of the program.
        c.unlimited();
        String how = isOfThread ? "thread" : outcome.isDeclared || outcome.isRefused || c.isDeliberate(t) ? "deliberate" : "raised";
        String nameable = entry.literals.name(entry.literals.nameable(t.getClass()));
        String unfit = how.equals("raised") ? entry.unfit(t, c) : "";
        return "exception\n" + Said.thrown(t, how + "\t" + nameable + "\t" + unfit + "\n" + entry.calls(), Said.above(t, "polypath.driver.Entry", "polypath.driver.Inputs"));
    }

    /** Whether it was our own code that found no memory: a plain JVM may well have enough. */
    private static boolean isOurs(Throwable t) {
        StackTraceElement[] frames = t.getStackTrace();
        return t instanceof OutOfMemoryError && frames.length > 0 && Said.isOurs(frames[0]);
    }

    /** Looks in a row at which nobody goes on, before a run counts as blocked. */
    private static final int STILL = 5;

    private static void watch(ThreadGroup program) {
        int still = 0;
        while (true) {
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                continue;
            }
            Patience now = patience;
            if (now == null) continue;
            still = isStuck(program) ? still + 1 : 0;
            if (still < STILL && !now.isOver()) continue;
            // A run that waits records nothing meanwhile: what it recorded before is whole.
            live.flush();
            Runtime.getRuntime().halt(HANGS);
        }
    }

    /** Whether each thread of the program waits for another one, without a limit. */
    private static boolean isStuck(ThreadGroup program) {
        Thread[] all = new Thread[2 * program.activeCount() + 8];
        int n = program.enumerate(all);
        // There may be more than there is room for.
        if (n == all.length) return false;
        for (int k = 0; k < n; k++) {
            Thread.State state = all[k].getState();
            boolean waits = state == Thread.State.BLOCKED || state == Thread.State.WAITING || state == Thread.State.TERMINATED;
            if (!waits) return false;
        }
        return true;
    }
}
