package polypath.driver;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.Map;
import polypath.Ctx;
import polypath.Output;
import polypath.RT;
import polypath.RunEnd;
import polypath.Wire;
import polypath.weave.Sites;

/**
 * Runs a method of a program again and again, each time on the input that Polypath sends. Standard input and output are the
 * channel to Polypath; the program has others.
 */
public final class Main {
    private Main() {}

    /** How the process ends when a run takes longer than it may by the clock. */
    private static final int HANGS = 86;

    private static volatile long deadline = Long.MAX_VALUE;
    private static volatile Ctx live;

    public static void main(String[] args) {
        PrintStream errors = System.err;
        try {
            serve();
        } catch (Throwable t) {
            t.printStackTrace(errors);
            Runtime.getRuntime().halt(1);
        }
    }

    private static void serve() throws Exception {
        DataInputStream in = new DataInputStream(new java.io.BufferedInputStream(new FileInputStream(FileDescriptor.in)));
        Ctx c = RT.own(new FileOutputStream(FileDescriptor.out));
        live = c;
        // What the driver does between runs is none of them.
        RT.pause();
        Output output = new Output();
        System.setIn(new ByteArrayInputStream(new byte[0]));
        System.setOut(output);
        System.setErr(output);
        Thread clock = new Thread(Main::watch, "polypath clock");
        clock.setDaemon(true);
        clock.start();
        Sites.to((number, method, instruction, what) ->
                c.meta(number + "\t" + method + "\t" + instruction + "\t" + what));
        AppLoader.Program program;
        AppLoader loader;
        Entry entry;
        try {
            String[] path = new String[in.readInt()];
            for (int k = 0; k < path.length; k++) path[k] = in.readUTF();
            String text = in.readUTF();
            int longest = in.readInt();
            Ctx.checks = in.readBoolean();
            program = new AppLoader.Program(path, Ctx.checks);
            loader = new AppLoader(program);
            entry = new Entry(text, loader, longest);
        } catch (Entry.Refused e) {
            c.text(Wire.ANSWER, 0, 0, 0, "refused\n" + e.getMessage());
            c.flush();
            return;
        }
        StringBuilder answer = new StringBuilder("ready\n").append(entry.description);
        for (String name : entry.names) answer.append('\n').append(name);
        c.text(Wire.ANSWER, 0, 0, 0, answer.toString());
        c.flush();
        while (true) {
            long budget;
            try {
                budget = in.readLong();
            } catch (EOFException e) {
                return;
            }
            long limit = in.readLong();
            Map<String, long[]> values = values(in);
            if (program.hasState) loader = new AppLoader(program);
            deadline = System.nanoTime() + limit;
            c.begin(values, budget);
            String end = run(entry, loader, c);
            deadline = Long.MAX_VALUE;
            String printed = output.take();
            if (!printed.isEmpty()) c.text(Wire.OUTPUT, 0, 0, 0, printed);
            c.text(Wire.END, 0, 0, 0, (budget - c.steps) + "\n" + RT.takeLostByThreads() + "\n" + end);
            c.flush();
        }
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

    /** Runs once, and says how it ended. */
    private static String run(Entry entry, AppLoader loader, Ctx c) {
        Thread.currentThread().setContextClassLoader(loader);
        Entry.Outcome outcome;
        RT.resume(true);
        try {
            outcome = entry.call(loader, c);
        } catch (RunEnd e) {
            return e.how;
        } catch (Exception e) {
            return "unsupported call of the entry point: " + e;
        } finally {
            RT.pause();
        }
        Throwable t = outcome.thrown;
        if (t instanceof RunEnd) return ((RunEnd) t).how;
        if (t == null) return "return\n" + value(outcome);
        c.steps = Long.MAX_VALUE;
        StringBuilder end = new StringBuilder("exception\n").append(t.getClass().getName()).append('\n');
        end.append(message(t).replace("\\", "\\\\").replace("\n", "\\n")).append('\n');
        end.append(outcome.isDeclared || c.isDeliberate(t) ? "deliberate" : "raised");
        end.append('\n').append(supers(t.getClass()));
        StackTraceElement[] frames = t.getStackTrace();
        int count = 0;
        while (count < frames.length && !frames[count].getClassName().equals("polypath.driver.Entry")) count++;
        // The driver's way to the entry point.
        while (count > 0 && frames[count - 1].getClassName().contains(".reflect.")) count--;
        for (StackTraceElement f : java.util.Arrays.asList(frames).subList(0, count)) {
            boolean ours = f.getClassName().startsWith("polypath.") || f.getClassName().startsWith("jdk.internal.reflect.");
            // Stubs have no lines.
            boolean stub = f.getLineNumber() < 0 && !f.isNativeMethod() && f.getModuleName() == null;
            if (ours || stub) continue;
            end.append('\n').append(f.getClassName()).append('\t').append(f.getMethodName()).append('\t')
                    .append(f.getFileName() == null ? "" : f.getFileName()).append('\t').append(Math.max(0, f.getLineNumber()));
            end.append('\t').append(f.getModuleName() == null ? "" : f.getModuleName());
        }
        return end.toString();
    }

    private static String supers(Class<?> c) {
        StringBuilder all = new StringBuilder();
        for (; c != Object.class; c = c.getSuperclass()) all.append(all.length() == 0 ? "" : " ").append(c.getName());
        return all.toString();
    }

    private static String message(Throwable t) {
        try {
            String text = t.getMessage();
            return text == null ? "" : text;
        } catch (Throwable e) {
            return "(getMessage throws " + e.getClass().getName() + ")";
        }
    }

    private static String value(Entry.Outcome o) {
        if (o.type == void.class) return "V";
        if (!o.type.isPrimitive()) return o.value == null ? "null" : "L " + o.value.getClass().getTypeName();
        Object v = o.value;
        if (v instanceof Character) v = (int) (Character) v;
        if (v instanceof Float) v = Float.floatToRawIntBits((Float) v);
        if (v instanceof Double) v = Double.doubleToRawLongBits((Double) v);
        return o.type.descriptorString() + " " + v;
    }

    private static void watch() {
        while (true) {
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                continue;
            }
            if (System.nanoTime() - deadline <= 0 || deadline == Long.MAX_VALUE) continue;
            // A run that waits records nothing meanwhile: what it recorded before is whole.
            live.flush();
            Runtime.getRuntime().halt(HANGS);
        }
    }
}
