package polypath.weave;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Weaves the classes of `java.base` into a directory, once for a JDK, and knows their files as they were before. */
public final class Image {
    private Image() {}

    /** Where classes are that are taken instead of the JDK's, from which they differ in how they work only. */
    private static Path library;
    /** Where the JDK's own files of woven classes are, if this JDK has woven ones. */
    private static Path originals;

    /** Says where the JDK's own files of the classes are that this JDK has woven. */
    public static void originals(Path place) {
        originals = place;
    }

    /**
     * The arguments: the directory, the file that says what the numbers of places mean, the place of our own versions, and the
     * directory for the JDK's own files of what is woven.
     */
    public static void main(String[] args) throws IOException {
        library = Path.of(args[2]);
        Path out = Path.of(args[0]);
        Set<String> names = new TreeSet<>();
        for (Path from : new Path[] {base(), library}) {
            try (Stream<Path> all = Files.walk(from)) {
                all.map(p -> from.relativize(p).toString()).filter(p -> p.endsWith(".class")).forEach(names::add);
            }
        }
        World world = new World(name -> Jdk.isWoven(name) ? original(name) : null, false, World.JDK);
        // In the order of their numbers, one in each line.
        PrintWriter sites = new PrintWriter(Files.newBufferedWriter(Path.of(args[1])));
        Sites.to((number, method, instruction, what) -> sites.println(method + "\t" + instruction + "\t" + what));
        ClassWeaver weaver = new ClassWeaver(world);
        for (String path : names) {
            String name = path.substring(0, path.length() - ".class".length());
            boolean isReplaced = name.equals(Mirrors.CLASS);
            if (Jdk.isWoven(name)) write(weaver, name, original(name), out);
            if (isReplaced) put(name, Mirrors.replace(original(name)), out);
            Path own = base().resolve(path);
            if ((isReplaced || Jdk.isWoven(name)) && Files.exists(own)) put(name, Files.readAllBytes(own), Path.of(args[3]));
        }
        sites.close();
        if (sites.checkError()) throw new IOException("cannot write " + args[1]);
    }

    private static void write(ClassWeaver weaver, String name, byte[] file, Path out) throws IOException {
        ClassWeaver.Woven woven = weaver.weave(file);
        put(name, woven.bytes, out);
        for (String method : woven.left) System.out.println(name + "." + method);
        for (Map.Entry<String, byte[]> more : woven.more.entrySet()) write(weaver, more.getKey(), more.getValue(), out);
    }

    private static void put(String name, byte[] file, Path out) throws IOException {
        Path to = out.resolve(name + ".class");
        Files.createDirectories(to.getParent());
        Files.write(to, file);
    }

    private static Path base() {
        return modules().getPath("/modules/java.base");
    }

    private static FileSystem modules() {
        return FileSystems.getFileSystem(URI.create("jrt:/"));
    }

    /** The class file of the JDK, before weaving; null if there is none. */
    public static byte[] original(String name) {
        try {
            if (library != null && Files.exists(library.resolve(name + ".class"))) return Files.readAllBytes(library.resolve(name + ".class"));
            Path file = originals == null ? null : originals.resolve(name + ".class");
            if (file != null && Files.exists(file)) return Files.readAllBytes(file);
            file = base().resolve(name + ".class");
            if (Files.exists(file)) return Files.readAllBytes(file);
            // A package that several modules have is in one of them.
            Path owners = modules().getPath("/packages", name.substring(0, Math.max(0, name.lastIndexOf('/'))).replace('/', '.'));
            if (!Files.isDirectory(owners)) return null;
            try (Stream<Path> all = Files.list(owners)) {
                for (Path module : (Iterable<Path>) all::iterator) {
                    file = module.resolve(name + ".class");
                    if (Files.exists(file)) return Files.readAllBytes(file);
                }
            }
            return null;
        } catch (IOException e) {
            throw new IllegalStateException("cannot read " + name, e);
        }
    }
}
