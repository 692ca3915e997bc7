package polypath.driver;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * What a class path has, on a plain JVM and without running any of it. `Listing main PATH` prints the main class that the first
 * archive names, or else all classes with a method main; `Listing methods PATH [PACKAGE]` the methods, of one package or of all, that
 * callers from outside can call: those first that have the most to find.
 */
public final class Listing {
    private Listing() {}

    public static void main(String[] args) throws IOException {
        String[] path = args[1].split(File.pathSeparator);
        if (args[0].equals("methods")) {
            List<Callable> all = new ArrayList<>();
            for (String name : classes(path, args.length > 2 ? args[2] : null)) methods(name, path, all);
            all.sort(Comparator.comparing(m -> m.promise));
            for (Callable m : all) System.out.println(m.text);
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

    /** How much there is to find in a method, by its own code; the most first. */
    private enum Promise {
        /** It decides something, or its instructions can fail. */
        DECIDES,
        /** It calls what may. */
        CALLS,
        /** It hands on a field, a parameter or a constant. */
        NOTHING
    }

    /** A method that callers from outside can call. */
    private static final class Callable {
        final String text;
        final Promise promise;

        Callable(String text, Promise promise) {
            this.text = text;
            this.promise = promise;
        }
    }

    private static void methods(String name, String[] path, List<Callable> found) throws IOException {
        Class<?> c = load(name, path);
        if (c == null) return;
        for (Class<?> k = c; k != null; k = k.getEnclosingClass()) if (!Modifier.isPublic(k.getModifiers())) return;
        try {
            Method[] all = c.getDeclaredMethods();
            Arrays.sort(all, Comparator.comparing(Method::toString));
            Map<String, Promise> promises = promises(name);
            for (Method m : all) {
                int not = Modifier.ABSTRACT | Modifier.NATIVE;
                if (!Modifier.isPublic(m.getModifiers()) || (m.getModifiers() & not) != 0 || m.isSynthetic()) continue;
                StringBuilder line = new StringBuilder(name).append('.').append(m.getName()).append('(');
                for (int k = 0; k < m.getParameterCount(); k++) {
                    line.append(k == 0 ? "" : ",").append(m.getParameterTypes()[k].getTypeName());
                }
                Promise promise = promises.getOrDefault(m.getName() + Type.getMethodDescriptor(m), Promise.CALLS);
                found.add(new Callable(line.append(')').toString(), promise));
            }
        } catch (LinkageError e) {
            System.err.println(name + ": " + e);
        }
    }

    /** Of the methods of a class, by name and descriptor. */
    private static Map<String, Promise> promises(String name) throws IOException {
        Map<String, Promise> all = new HashMap<>();
        try (InputStream file = loader.getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (file == null) return all;
            new ClassReader(file).accept(new ClassVisitor(Opcodes.ASM9) {
                @Override
                public MethodVisitor visitMethod(int access, String method, String descriptor, String generic, String[] thrown) {
                    return new Code(promise -> all.put(method + descriptor, promise));
                }
            }, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        } catch (IllegalArgumentException e) {
            // Of a newer Java: what loads it will say so.
            System.err.println(name + ": " + e);
        }
        return all;
    }

    /** Looks at the instructions of a method. */
    private static final class Code extends MethodVisitor {
        private final Consumer<Promise> told;
        private Promise promise = Promise.NOTHING;

        Code(Consumer<Promise> told) {
            super(Opcodes.ASM9);
            this.told = told;
        }

        private void is(Promise p) {
            if (p.compareTo(promise) < 0) promise = p;
        }

        @Override
        public void visitJumpInsn(int opcode, Label label) {
            if (opcode != Opcodes.GOTO) is(Promise.DECIDES);
        }

        @Override
        public void visitTableSwitchInsn(int min, int max, Label other, Label... labels) {
            is(Promise.DECIDES);
        }

        @Override
        public void visitLookupSwitchInsn(Label other, int[] keys, Label[] labels) {
            is(Promise.DECIDES);
        }

        @Override
        public void visitInsn(int opcode) {
            boolean isElement = opcode >= Opcodes.IALOAD && opcode <= Opcodes.SALOAD || opcode >= Opcodes.IASTORE && opcode <= Opcodes.SASTORE;
            boolean divides = opcode == Opcodes.IDIV || opcode == Opcodes.LDIV || opcode == Opcodes.IREM || opcode == Opcodes.LREM;
            if (isElement || divides) is(Promise.DECIDES);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            is(Promise.CALLS);
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle how, Object... arguments) {
            is(Promise.CALLS);
        }

        @Override
        public void visitEnd() {
            told.accept(promise);
        }
    }
}
