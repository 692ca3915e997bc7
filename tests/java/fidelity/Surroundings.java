import java.util.Set;
import java.util.TreeMap;

/** What a program is told of the JDK that it runs on. */
public class Surroundings {
    /** What says how the JVM was started (its heap decides the first), and who started it. */
    private static final Set<String> LEFT = Set.of("java.vm.compressedOopsMode", "java.class.path", "sun.java.command", "sun.java.launcher", "user.name", "user.home", "user.dir", "java.io.tmpdir");

    public static void main(String[] args) throws Exception {
        TreeMap<Object, Object> all = new TreeMap<>(System.getProperties());
        for (Object name : all.keySet()) {
            if (!LEFT.contains(name)) System.out.println(name + "=" + all.get(name).toString().replace("\n", "\\n"));
        }
        System.out.println(String.class.getResource("String.class"));
        System.out.println(ModuleLayer.boot().modules().size());
        if (System.in.read() == 'x') System.out.println("x");
    }
}
