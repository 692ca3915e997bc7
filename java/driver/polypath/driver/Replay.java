package polypath.driver;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import polypath.Output;
import polypath.Way;

/**
 * Calls methods without parameters on a plain JVM, each with classes of its own, and says in a line what became of it. The
 * list of calls is a file: the class path, the milliseconds for one call, then a test, a class and a method in each line. A
 * call that begins says so; if nothing follows, it ended the JVM. What follows is how it ended, what it printed, and its way ({@link Way}).
 */
public final class Replay {
    private Replay() {}

    /** How the process ends when a call takes too long. */
    private static final int HANGS = 86;

    /** With the call that goes on; null between two. */
    private static volatile Patience patience;

    public static void main(String[] args) throws Exception {
        PrintStream say = System.out;
        List<String> list = Files.readAllLines(Path.of(args[0]), StandardCharsets.UTF_8);
        URL[] path = path(list.get(0).split(File.pathSeparator));
        long limit = Long.parseLong(list.get(1)) * 1_000_000;
        Output output = new Output();
        System.setIn(new ByteArrayInputStream(new byte[0]));
        System.setOut(output);
        System.setErr(output);
        Thread clock = new Thread(Replay::watch, "polypath clock");
        clock.setDaemon(true);
        clock.start();
        Scene scene = new Scene();
        for (String line : list.subList(2, list.size())) Follow.callers.add(line.split("\t")[1].replace('.', '/'));
        for (String line : list.subList(2, list.size())) {
            String[] part = line.split("\t");
            boolean isClear = scene.clear();
            say.println(part[0] + "\tbegins");
            say.flush();
            patience = new Patience(limit);
            String end = isClear ? call(path, part[1], part[2]) : "cannot be called: " + Scene.LEFT;
            patience = null;
            say.println(part[0] + "\t" + escaped(end) + "\t" + escaped(output.take()) + "\t" + Long.toHexString(way));
        }
        say.flush();
        // Threads that a call left behind do not keep the process.
        Runtime.getRuntime().halt(0);
    }

    /** The way of the last call. */
    private static long way;

    private static URL[] path(String[] names) throws IOException {
        URL[] all = new URL[names.length];
        for (int k = 0; k < names.length; k++) all[k] = new File(names[k]).toURI().toURL();
        return all;
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t");
    }

    private static String call(URL[] path, String className, String name) {
        URLClassLoader loader = new URLClassLoader(path, ClassLoader.getPlatformClassLoader());
        Follow.loader = loader;
        Thread.currentThread().setContextClassLoader(loader);
        // Or by reflection, which StackWalker leaves out, from there.
        Way.expect(c -> Follow.callers.contains(c.getName().replace('.', '/')));
        way = 0;
        Started started = new Started();
        try {
            loader.setDefaultAssertionStatus(true);
            Class<?> c = Class.forName(className, true, loader);
            Method m = c.getDeclaredMethod(name);
            Object value;
            try {
                value = m.invoke(null);
            } finally {
                way = Way.end();
            }
            Throwable uncaught = started.await();
            if (uncaught != null) return "threw " + Said.thrown(uncaught, "", uncaught.getStackTrace().length);
            return "returned " + Said.returned(m.getReturnType(), value, new Literals(c));
        } catch (InvocationTargetException e) {
            // What they print belongs to the call.
            started.await();
            return "threw " + Said.thrown(e.getCause(), "", Said.above(e.getCause(), className));
        } catch (ReflectiveOperationException | LinkageError e) {
            return "cannot be called: " + e;
        }
    }

    private static void watch() {
        while (true) {
            try {
                Thread.sleep(20);
            } catch (InterruptedException e) {
                continue;
            }
            Patience now = patience;
            if (now != null && now.isOver()) Runtime.getRuntime().halt(HANGS);
        }
    }
}
