package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import java.util.Set;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.*;

/** Calls that ask for what is another thing in another run or on another machine: orders of collections by hash, and files. */
final class Environs {
    private Environs() {}

    private static final String UTIL = "java/util/";
    private static final String PAIR = UTIL + "ImmutableCollections$Set12";
    private static final Set<String> MAPS = Set.of("HashMap", "WeakHashMap", "IdentityHashMap");
    private static final String TEXT = "Ljava/lang/String;";
    private static final String FILE = "Ljava/io/File;";
    private static final String PATH = "Ljava/nio/file/Path;";
    /** What opens files to read them, with the file as the last argument. */
    private static final Set<String> READERS = Set.of("java/io/FileInputStream", "java/io/FileReader", "java/util/Scanner");
    /** Methods of {@code Files} that ask for a file and make none. */
    private static final Set<String> ASKING = Set.of("newInputStream", "newBufferedReader", "readAllBytes", "readAllLines", "readString", "lines",
            "exists", "notExists", "isRegularFile", "isDirectory", "isReadable", "isExecutable", "size", "getLastModifiedTime", "list", "walk",
            "newDirectoryStream");
    private static final Set<String> QUESTIONS =
            Set.of("exists", "isFile", "isDirectory", "canRead", "canExecute", "length", "lastModified", "list", "listFiles");

    /** What a run, a machine or a collection of garbage answers in its own way. */
    private static final Set<String> ANSWERS = Set.of("java/lang/Runtime.freeMemory", "java/lang/Runtime.totalMemory", "java/lang/Runtime.maxMemory",
            "java/lang/Runtime.availableProcessors", "java/lang/Thread.getId", "java/lang/Thread.threadId", "java/lang/ProcessHandle.current", "java/lang/ProcessHandle.pid",
            "java/lang/management/ManagementFactory.getRuntimeMXBean", "java/lang/management/ManagementFactory.getThreadMXBean", "java/lang/management/ManagementFactory.getMemoryMXBean",
            "java/security/KeyPairGenerator.generateKeyPair", "java/security/KeyPairGenerator.genKeyPair", "javax/crypto/KeyGenerator.generateKey", "java/util/Calendar.getInstance", "java/io/File.createTempFile",
            "java/nio/file/Files.createTempFile", "java/nio/file/Files.createTempDirectory", "java/lang/ref/WeakReference.get",
            "java/lang/ref/SoftReference.get", "java/lang/ref/Reference.get", "java/io/File.getFreeSpace", "java/io/File.getUsableSpace");
    /** Questions for a property by its name, which lead there by other ways than {@code System.getProperty(name)}. */
    private static final Set<String> PROPERTIES = Set.of("java/lang/Boolean.getBoolean(" + TEXT + ")Z", "java/lang/Integer.getInteger(" + TEXT
            + ")Ljava/lang/Integer;", "java/lang/Long.getLong(" + TEXT + ")Ljava/lang/Long;");
    private static final Set<String> DEFAULTED = Set.of("java/lang/System.getProperty(" + TEXT + TEXT + ")" + TEXT,
            "java/lang/Integer.getInteger(" + TEXT + "I)Ljava/lang/Integer;");

    /** Whether the class keeps its elements by their hash codes. */
    static boolean isTable(String owner) {
        return owner.equals(UTIL + "HashMap") || owner.equals(UTIL + "Hashtable") || owner.equals(UTIL + "WeakHashMap")
                || owner.equals(UTIL + "concurrent/ConcurrentHashMap") || owner.startsWith(UTIL + "ImmutableCollections");
    }

    static void look(MethodInsnNode m, Body b) {
        boolean isOfObject = m.owner.equals("java/lang/Object");
        if (isOfObject && m.getOpcode() == INVOKESPECIAL && m.name.equals("hashCode")) {
            b.site("call");
            b.context();
            b.rt("identity", "(I" + Twins.CTX_DESC + ")V");
        }
        boolean hasReceiver = m.getOpcode() != INVOKESTATIC;
        if (hasReceiver && (isOfObject || !m.owner.startsWith("java/")) && m.name.equals("toString") && m.desc.equals("()" + TEXT)) {
            b.op(DUP);
            asks(b, isOfObject && m.getOpcode() == INVOKESPECIAL ? "showsItself" : "shows");
        }
        if (!Jdk.isWoven(b.owner)) answers(m, b);
        if (m.owner.startsWith(UTIL) || m.owner.equals("java/lang/Iterable")) orders(m, b);
        if (!Jdk.isWoven(b.owner)) files(m, b);
    }

    private static void answers(MethodInsnNode m, Body b) {
        String name = m.owner + "." + m.name;
        if ((m.owner.equals("java/lang/Class") || m.owner.equals("java/lang/Thread")) && m.desc.equals("()" + TEXT) && m.getOpcode() != INVOKESTATIC) {
            b.op(DUP);
            asks(b, "names");
        }
        boolean isEnvironment = m.owner.equals("java/lang/System") && m.desc.startsWith("()")
                && (m.name.equals("getenv") || m.name.equals("getProperties"));
        if (ANSWERS.contains(name) || isEnvironment || name.equals("java/util/GregorianCalendar.<init>") && m.desc.equals("()V")) {
            b.site("call");
            b.context();
            b.rt("unsteady", "(I" + Twins.CTX_DESC + ")V");
        } else if (PROPERTIES.contains(name + m.desc)) {
            b.op(DUP);
            asks(b, "asksFor");
        } else if (DEFAULTED.contains(name + m.desc)) {
            b.op(DUP2);
            b.op(POP);
            asks(b, "asksFor");
        }
    }

    private static void orders(MethodInsnNode m, Body b) {
        if (m.name.equals("<init>") && m.owner.contains("$")) {
            String inner = m.owner.substring(m.owner.lastIndexOf('$') + 1);
            boolean isPair = m.owner.startsWith(PAIR + "$") && m.desc.equals("(L" + PAIR + ";)V");
            if (isPair || inner.endsWith("Iterator") && isOver(m.desc)) walks(b, DUP);
            // (A constructor that calls that of the class above leaves nothing on the stack.)
            else if (inner.endsWith("Spliterator") && m.owner.startsWith(UTIL + "HashMap$") && !b.method.name.equals("<init>")) {
                b.behind(() -> walks(b, DUP));
            }
            return;
        }
        boolean isLoop = m.name.equals("forEach") && Type.getArgumentTypes(m.desc).length == 1;
        boolean isCopy = m.owner.equals(UTIL + "HashMap") && (m.name.equals("keysToArray") || m.name.equals("valuesToArray"));
        boolean isOfTable = m.owner.equals(UTIL + "Hashtable") && (m.name.equals("getIterator") || m.name.equals("getEnumeration"));
        boolean isArray = m.name.equals("toArray") && m.desc.equals("()[Ljava/lang/Object;");
        if (m.getOpcode() == INVOKESTATIC) return;
        if (isLoop || isCopy || isOfTable) walks(b, DUP2);
        else if (isArray) walks(b, DUP);
    }

    /** Whether the last parameter is a collection by hash. */
    private static boolean isOver(String desc) {
        for (String map : MAPS) {
            if (desc.equals("(L" + UTIL + map + ";)V")) return true;
        }
        return desc.endsWith("L" + UTIL + "concurrent/ConcurrentHashMap;)V") || desc.equals("(L" + UTIL + "ImmutableCollections$SetN;)V")
                || desc.equals("(L" + UTIL + "ImmutableCollections$MapN;)V");
    }

    /** What is walked over is the topmost word of the stack, or the one below. */
    private static void walks(Body b, int copy) {
        b.op(copy);
        if (copy == DUP2) b.op(POP);
        asks(b, "walks");
    }

    private static void files(MethodInsnNode m, Body b) {
        boolean isReader = m.name.equals("<init>") && READERS.contains(m.owner);
        boolean isPath = m.desc.startsWith("(" + PATH + ")");
        if (isReader && (isPath || m.desc.equals("(" + FILE + ")V") || m.desc.equals("(" + TEXT + ")V") && !m.owner.equals("java/util/Scanner"))
                || m.owner.equals("java/io/File") && QUESTIONS.contains(m.name) && m.desc.startsWith("()")) {
            b.op(DUP);
            asks(b, "looksFor");
        } else if (m.owner.equals("java/nio/file/Files") && ASKING.contains(m.name)) {
            int more = Type.getArgumentTypes(m.desc).length - 1;
            if (more > 1) return;
            b.op(more == 0 ? DUP : DUP2);
            if (more == 1) b.op(POP);
            asks(b, "looksFor");
        }
    }

    private static void asks(Body b, String what) {
        b.site("call");
        b.context();
        b.rt(what, "(Ljava/lang/Object;I" + Twins.CTX_DESC + ")V");
    }
}
