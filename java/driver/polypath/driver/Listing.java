package polypath.driver;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * What a class path has, on a plain JVM and without running any of it. `Listing main PATH` prints the main class that the first
 * archive names, or else all classes with a method main; `Listing methods PATH PACKAGE` the methods of a package that callers
 * from outside can call.
 */
public final class Listing {
    private Listing() {}

    public static void main(String[] args) throws IOException {
        String[] path = args[1].split(File.pathSeparator);
        if (args[0].equals("methods")) {
            for (String name : classes(path, args[2])) methods(name, path);
            return;
        }
        String named = manifest(path);
        if (named != null) {
            System.out.println(named);
            return;
        }
        for (String name : classes(path, null)) {
            Class<?> c = load(name, path);
            if (c != null && hasMain(c)) System.out.println(name);
        }
    }

    private static String manifest(String[] path) throws IOException {
        for (String part : path) {
            if (!part.endsWith(".jar")) continue;
            try (JarFile jar = new JarFile(part)) {
                String name = jar.getManifest() == null ? null : jar.getManifest().getMainAttributes().getValue("Main-Class");
                if (name != null) return name.trim();
            }
        }
        return null;
    }

    /** Names of the classes; of one package, unless that is null. */
    static List<String> classes(String[] path, String only) throws IOException {
        List<String> all = new ArrayList<>();
        for (String part : path) {
            List<String> files = new ArrayList<>();
            Path root = Path.of(part);
            if (Files.isDirectory(root)) {
                try (Stream<Path> tree = Files.walk(root)) {
                    tree.filter(Files::isRegularFile).forEach(f -> files.add(root.relativize(f).toString()));
                }
            } else {
                try (JarFile jar = new JarFile(part)) {
                    jar.stream().forEach(e -> files.add(e.getName()));
                }
            }
            for (String file : files) {
                if (!file.endsWith(".class") || file.startsWith("META-INF/") || file.endsWith("-info.class")) continue;
                String name = file.substring(0, file.length() - 6).replace('/', '.');
                int dot = name.lastIndexOf('.');
                if (only == null || only.equals(dot < 0 ? "" : name.substring(0, dot))) all.add(name);
            }
        }
        Collections.sort(all);
        return all;
    }

    private static Class<?> load(String name, String[] path) throws IOException {
        if (loader == null) {
            URL[] urls = new URL[path.length];
            for (int k = 0; k < urls.length; k++) urls[k] = new File(path[k]).toURI().toURL();
            loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
        }
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException | LinkageError e) {
            // A class whose parents are missing has no methods that could be called.
            System.err.println(name + ": " + e);
            return null;
        }
    }

    private static URLClassLoader loader;

    private static boolean hasMain(Class<?> c) {
        try {
            Method m = c.getDeclaredMethod("main", String[].class);
            return Modifier.isStatic(m.getModifiers()) && Modifier.isPublic(m.getModifiers()) && m.getReturnType() == void.class;
        } catch (NoSuchMethodException | LinkageError e) {
            return false;
        }
    }

    private static void methods(String name, String[] path) throws IOException {
        Class<?> c = load(name, path);
        if (c == null) return;
        for (Class<?> k = c; k != null; k = k.getEnclosingClass()) if (!Modifier.isPublic(k.getModifiers())) return;
        try {
            Method[] all = c.getDeclaredMethods();
            Arrays.sort(all, Comparator.comparing(Method::toString));
            for (Method m : all) {
                int not = Modifier.ABSTRACT | Modifier.NATIVE;
                if (!Modifier.isPublic(m.getModifiers()) || (m.getModifiers() & not) != 0 || m.isSynthetic()) continue;
                StringBuilder line = new StringBuilder(name).append('.').append(m.getName()).append('(');
                for (int k = 0; k < m.getParameterCount(); k++) {
                    line.append(k == 0 ? "" : ",").append(m.getParameterTypes()[k].getTypeName());
                }
                System.out.println(line.append(')'));
            }
        } catch (LinkageError e) {
            System.err.println(name + ": " + e);
        }
    }
}
