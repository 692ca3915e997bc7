package polypath.weave;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import polypath.Wire;

/** The classes that are woven: their members, as their files have them. What is not among them is the library's. */
public final class World {
    /** Where class files come from. */
    public interface Files {
        /** The class file of an internal name if the class is to be woven, else null. */
        byte[] find(String name);
    }

    /** What is known of a class. */
    static final class Info {
        String name;
        String superName;
        String[] interfaces = {};
        int access;
        int version;

        /**
         * Whether its methods have twins. An interface needs Java 8 for a method with code. One of Java 5 or before is made
         * newer, unless it has code of its own, which would need frames.
         */
        boolean hasTwins() {
            if ((access & Opcodes.ACC_ANNOTATION) != 0) return false;
            boolean isInterface = (access & Opcodes.ACC_INTERFACE) != 0;
            return !isInterface || version >= Opcodes.V1_6 || !methods.containsKey("<clinit>()V");
        }

        boolean hasTwin(String member) {
            return hasTwins() && !lookAtCallers.contains(member);
        }

        final Map<String, Integer> methods = new HashMap<>();
        /** Methods that look at who calls them: these have no twin. */
        final Set<String> lookAtCallers = new HashSet<>();
        final Map<String, Integer> fields = new HashMap<>();
        /** Whether a run can leave something behind in its statics. */
        boolean hasState;
    }

    /** The number of the first place in the JDK: those of programs are below. */
    public static final int JDK = Wire.JDK;

    private final Files files;
    private final int first;
    private final Map<String, Info> known = new HashMap<>();
    private final Map<String, Info> unwoven = new HashMap<>();
    private final Map<String, Integer> sites = new HashMap<>();
    /** Whether results are sent, too. */
    public final boolean checks;

    /** Places are numbered from `first` on. */
    public World(Files files, boolean checks, int first) {
        this.files = files;
        this.first = first;
        this.checks = checks;
    }

    /** Null for a class of the library, or one that is missing. */
    synchronized Info info(String name) {
        if (name == null || name.startsWith("[")) return null;
        if (known.containsKey(name)) return known.get(name);
        byte[] bytes = files.find(name);
        Info info = bytes == null ? null : readable(bytes);
        known.put(name, info);
        return info;
    }

    /** A class of the JDK that is not woven; null for one that is missing. */
    synchronized Info library(String name) {
        return unwoven.computeIfAbsent(name, n -> {
            byte[] bytes = Image.original(n);
            return bytes == null ? null : readable(bytes);
        });
    }

    /** Null for a file that is broken or of a newer Java: the JVM says so when the class is loaded. */
    private static Info readable(byte[] bytes) {
        try {
            return read(bytes);
        } catch (RuntimeException e) {
            return null;
        }
    }

    /** A class gets a method that its file does not have. */
    synchronized void learn(String owner, String member, int access) {
        info(owner).methods.put(member, access);
    }

    /** There is a class that nobody finds a file of. */
    public synchronized void learn(byte[] file) {
        Info info = read(file);
        known.put(info.name, info);
    }

    private static Info read(byte[] bytes) {
        Info info = new Info();
        new ClassReader(bytes).accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public void visit(int version, int access, String name, String signature, String superName, String[] all) {
                info.name = name;
                info.version = version & 0xffff;
                info.superName = superName;
                info.access = access;
                if (all != null) info.interfaces = all;
            }

            @Override
            public FieldVisitor visitField(int access, String name, String desc, String signature, Object value) {
                info.fields.put(name + " " + desc, access);
                return null;
            }

            @Override
            public MethodVisitor visitMethod(int access, String name, String desc, String signature, String[] thrown) {
                info.methods.put(name + desc, access);
                return new MethodVisitor(Opcodes.ASM9) {
                    @Override
                    public AnnotationVisitor visitAnnotation(String type, boolean isVisible) {
                        if (type.equals("Ljdk/internal/reflect/CallerSensitive;")) info.lookAtCallers.add(name + desc);
                        return null;
                    }
                };
            }
        }, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return info;
    }

    /** In the names of classes that are made at run time in the place of a program's own. */
    public static final String MADE = "$$Stub$polypath";

    /** Whether blocks are counted: those of the program are, those of the JDK, of stand-ins and of classes that are made at run time are not. */
    boolean counts(String owner) {
        return !Jdk.isWoven(owner) && !StandIns.has(owner) && !owner.contains(MADE);
    }

    /** The woven class that declares the method which a call names, or null. */
    Info declares(String owner, String member) {
        for (Info info = info(owner); info != null; info = info(info.superName)) {
            if (info.methods.containsKey(member)) return info.hasTwin(member) ? info : null;
        }
        return inInterfaces(owner, member);
    }

    private Info inInterfaces(String owner, String member) {
        for (Info info = info(owner); info != null; info = info(info.superName)) {
            for (String name : info.interfaces) {
                Info itf = info(name);
                if (itf == null) continue;
                if (itf.methods.containsKey(member)) return itf.hasTwin(member) ? itf : null;
                Info above = inInterfaces(name, member);
                if (above != null) return above;
            }
        }
        return null;
    }

    /** Whether the fields of a class have shadows. */
    static boolean hasShadows(Info info) {
        return (info.access & Opcodes.ACC_INTERFACE) == 0 && !Jdk.hasFixedLayout(info.name);
    }

    /** Whether a field has a shadow: it is declared in a woven class that is no interface. */
    boolean hasShadow(String owner, String name, String desc) {
        for (Info info = info(owner); info != null; info = info(info.superName)) {
            if (info.fields.containsKey(name + " " + desc)) return hasShadows(info);
            for (String itf : info.interfaces) {
                Info above = info(itf);
                if (above != null && above.fields.containsKey(name + " " + desc)) return false;
            }
        }
        return false;
    }

    /** The number of a place in the program: the same whenever it is woven again. */
    synchronized int site(String place) {
        Integer number = sites.get(place);
        if (number == null) sites.put(place, number = first + sites.size());
        return number;
    }

    private final java.util.BitSet told = new java.util.BitSet();

    /** Whether nobody has heard of this number. */
    synchronized boolean isNew(int site) {
        boolean isNew = !told.get(site - first);
        told.set(site - first);
        return isNew;
    }
}
