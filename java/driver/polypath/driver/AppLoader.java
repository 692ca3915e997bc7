package polypath.driver;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Opcodes;
import polypath.RT;
import polypath.RunEnd;
import polypath.weave.ClassWeaver;
import polypath.weave.Image;
import polypath.weave.Jdk;
import polypath.weave.StandIns;
import polypath.weave.World;

/** Loads the program's classes woven. Its own class path comes first; what is woven once is kept for later loaders. */
final class AppLoader extends URLClassLoader {
    /** What all loaders of a program share. */
    static final class Program {
        final URL[] path;
        final Implementations implementations;
        final World world;
        private final ClassWeaver weaver;
        private final Map<String, ClassWeaver.Woven> woven = new ConcurrentHashMap<>();
        /** Files of classes that weaving others made. */
        private final Map<String, byte[]> made = new ConcurrentHashMap<>();
        private final URLClassLoader files;
        private final URLClassLoader standIns;
        /** Whether some class keeps state from one run to the next. */
        volatile boolean hasState;
        /** Whether some class has tables of constants, and whether some class could change such a table of another one. */
        private volatile boolean hasTables;
        private volatile boolean looks;
        /** Whether some class asks if two references are the same. */
        volatile boolean compares;
        /** Hears of what is loaded. */
        private final Consumer<String> told;

        /** `entry`: the method under test, as {@link Entry} has it. */
        Program(String[] names, String standIns, String entry, boolean checks, Consumer<String> told) throws IOException {
            this.told = told;
            implementations = new Implementations(names);
            path = new URL[names.length];
            for (int k = 0; k < names.length; k++) path[k] = new File(names[k]).toURI().toURL();
            files = new URLClassLoader(path, null);
            this.standIns = new URLClassLoader(new URL[] {new File(standIns).toURI().toURL()}, null);
            world = new World(this::find, checks, 0);
            String method = entry.split("\\(", 2)[0];
            int dot = Math.max(0, method.lastIndexOf('.'));
            weaver = new ClassWeaver(world, method.substring(0, dot).replace('.', '/') + method.substring(dot));
        }

        /** The class file of a class that is the program's own. */
        private byte[] find(String name) {
            if (Jdk.isWoven(name)) return Image.original(name);
            if (isLibrary(name)) return null;
            return file(name);
        }

        private byte[] file(String name) {
            URL url = (StandIns.has(name) ? standIns : files).findResource(name + ".class");
            if (url == null) return null;
            try (InputStream in = url.openStream()) {
                return in.readAllBytes();
            } catch (IOException e) {
                throw new IllegalStateException("cannot read " + url, e);
            }
        }

        private ClassWeaver.Woven weave(String name) {
            ClassWeaver.Woven w = woven.get(name);
            if (w != null) return w;
            byte[] file = made.get(name);
            if (file == null && !isLibrary(name)) file = find(name);
            if (file == null) return null;
            w = weaver.weave(file);
            made.putAll(w.more);
            new ClassReader(file).accept(new ClassVisitor(Opcodes.ASM9) {
                @Override
                public void visitSource(String source, String debug) {
                    if (source != null) told.accept("source\t" + name + "\t" + source);
                }
            }, ClassReader.SKIP_CODE | ClassReader.SKIP_FRAMES);
            woven.put(name, w);
            return w;
        }
    }

    /** Packages of the JDK's modules: the JVM looks for their classes there before it looks at any class path. */
    private static final Set<String> PACKAGES = new HashSet<>();

    static {
        for (Module m : ModuleLayer.boot().modules()) PACKAGES.addAll(m.getPackages());
    }

    private static boolean isLibrary(String name) {
        int end = Math.max(0, name.lastIndexOf('/'));
        String of = name.substring(0, end).replace('/', '.');
        // Our own package is a part of the base module only here.
        if (of.equals(RT.class.getPackageName())) return Class.forName(RT.class.getModule(), name.replace('/', '.')) != null;
        return PACKAGES.contains(of);
    }

    private final Program program;
    /** Classes with tables of constants that this loader has defined. */
    private final List<Class<?>> tables = Collections.synchronizedList(new ArrayList<>());

    AppLoader(Program program) {
        super(program.path, ClassLoader.getSystemClassLoader());
        this.program = program;
    }

    /** The class file of a class of the program, as its author's compiler left it; null if there is none. */
    byte[] file(Class<?> c) {
        return program.file(c.getName().replace('.', '/'));
    }

    /** Whether a method of a class that was loaded tells when it reads its parameters. */
    boolean tellsReads(Class<?> c, String nameAndDescriptor) {
        ClassWeaver.Woven woven = program.woven.get(c.getName().replace('.', '/'));
        return woven != null && woven.readers.contains(nameAndDescriptor);
    }

    boolean compares() {
        return program.compares;
    }

    Implementations implementations() {
        return program.implementations;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        try {
            synchronized (getClassLoadingLock(name)) {
                Class<?> c = findLoadedClass(name);
                if (c == null) c = own(name);
                if (c == null) return super.loadClass(name, resolve);
                if (resolve) resolveClass(c);
                return c;
            }
        } finally {
            // Another thread may have had the lock.
            RT.loaded();
        }
    }

    /** A class of the program's whose file is made at run time. It has its name from {@link World#MADE}. */
    Class<?> made(byte[] file) throws ClassNotFoundException {
        String name = new ClassReader(file).getClassName();
        if (program.made.putIfAbsent(name, file) == null) program.world.learn(file);
        return loadClass(name.replace('/', '.'));
    }

    /** The class if it is the program's own. The program may be running meanwhile. */
    private Class<?> own(String name) {
        boolean paused = RT.pause();
        try {
            return define(name);
        } finally {
            RT.resume(paused);
            RT.tell();
        }
    }

    private Class<?> define(String name) {
        ClassWeaver.Woven w;
        try {
            w = program.weave(name.replace('.', '/'));
        } catch (RuntimeException e) {
            throw broken(name, e);
        }
        if (w == null) return null;
        if (w.hasTables) program.hasTables = true;
        if (w.looks) program.looks = true;
        if (w.hasState || program.hasTables && program.looks) program.hasState = true;
        if (w.compares) program.compares = true;
        int dot = name.lastIndexOf('.');
        if (dot > 0 && getDefinedPackage(name.substring(0, dot)) == null) {
            definePackage(name.substring(0, dot), null, null, null, null, null, null, null);
        }
        Class<?> defined = defineClass(name, w.bytes, 0, w.bytes.length);
        if (w.hasTables) tables.add(defined);
        return defined;
    }

    /**
     * Whether all classes with tables have come to the end of their beginning. One that has not may be broken for all that follows, and nobody
     * need have noticed: the JVM itself ends it where no stack is left to begin.
     */
    boolean haveTablesBegun() {
        synchronized (tables) {
            return tables.stream().allMatch(RT::hasBegun);
        }
    }

    /** A class that cannot be woven: what the JVM says of its file, if that is broken or of a newer Java. */
    private Error broken(String name, RuntimeException why) {
        byte[] file = program.file(name.replace('.', '/'));
        try {
            new ClassLoader(this) {
                void define() {
                    defineClass(name, file, 0, file.length);
                }
            }.define();
        } catch (LinkageError e) {
            return e;
        }
        return new RunEnd("unsupported class that cannot be woven: " + name + " (" + why + ")");
    }
}
