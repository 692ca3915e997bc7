import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.IClassCoverage;
import org.jacoco.core.data.ExecutionDataStore;
import org.jacoco.core.data.SessionInfoStore;
import org.jacoco.core.instr.Instrumenter;
import org.jacoco.core.runtime.IRuntime;
import org.jacoco.core.runtime.LoggerRuntime;
import org.jacoco.core.runtime.RuntimeData;

/**
 * Calls a method with each of some inputs on a plain JVM, its classes under JaCoCo. CLASS PATH, ENTRY, FILE: in each line of the file an input in hexadecimal digits. A main
 * method finds it in the file `A`. Prints the bytecode instructions of the classes that are covered after the first call, and after the last.
 */
public class Confirm {
    private static final IRuntime RUNTIME = new LoggerRuntime();
    private static final Map<String, byte[]> FILES = new ConcurrentHashMap<>();

    private static final class Loader extends URLClassLoader {
        private final Instrumenter instrumenter = new Instrumenter(RUNTIME);

        Loader(URL[] path) {
            super(path, ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            URL url = findResource(name.replace('.', '/') + ".class");
            if (url == null) throw new ClassNotFoundException(name);
            try (InputStream in = url.openStream()) {
                byte[] file = in.readAllBytes();
                FILES.put(name, file);
                byte[] counted = instrumenter.instrument(file, name);
                return defineClass(name, counted, 0, counted.length);
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        PrintStream say = System.out;
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        System.setOut(nowhere);
        System.setErr(nowhere);
        System.setIn(new ByteArrayInputStream(new byte[0]));
        RuntimeData data = new RuntimeData();
        RUNTIME.startup(data);
        String[] names = args[0].split(java.io.File.pathSeparator);
        URL[] path = new URL[names.length];
        for (int k = 0; k < names.length; k++) path[k] = Path.of(names[k]).toUri().toURL();
        Loader loader = new Loader(path);
        Thread.currentThread().setContextClassLoader(loader);
        int dot = args[1].lastIndexOf('.');
        Method entry = null;
        for (Method m : loader.loadClass(args[1].substring(0, dot)).getDeclaredMethods()) {
            if (m.getName().equals(args[1].substring(dot + 1))) entry = m;
        }
        entry.setAccessible(true);
        List<String> inputs = Files.readAllLines(Path.of(args[2]));
        int first = -1;
        for (String input : inputs) {
            try {
                entry.invoke(null, value(entry.getParameterTypes()[0], HexFormat.of().parseHex(input)));
            } catch (InvocationTargetException e) {
                // It is an outcome like any other.
                if (e.getCause() instanceof ThreadDeath) throw e;
            }
            if (first < 0) first = covered(data);
        }
        say.println(Math.max(first, 0) + " " + covered(data));
        say.flush();
        Runtime.getRuntime().halt(0);
    }

    private static Object value(Class<?> type, byte[] bytes) throws java.io.IOException {
        if (type == String[].class) {
            Files.write(Path.of("A"), bytes);
            return new String[0];
        }
        if (type == byte[].class) return bytes;
        double[] all = new double[bytes.length / 8];
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer().get(all);
        return all;
    }

    private static int covered(RuntimeData data) throws java.io.IOException {
        ExecutionDataStore store = new ExecutionDataStore();
        data.collect(store, new SessionInfoStore(), false);
        CoverageBuilder all = new CoverageBuilder();
        Analyzer analyzer = new Analyzer(store, all);
        for (Map.Entry<String, byte[]> file : FILES.entrySet()) analyzer.analyzeClass(file.getValue(), file.getKey());
        int covered = 0;
        for (IClassCoverage c : all.getClasses()) covered += c.getInstructionCounter().getCoveredCount();
        return covered;
    }
}
