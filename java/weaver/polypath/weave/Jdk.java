package polypath.weave;

/** Which classes of the JDK are woven. What HotSpot itself relies on is left as it is. */
public final class Jdk {
    private Jdk() {}

    private static final String[] PACKAGES = {
        "java/lang/", "java/util/", "java/io/", "java/math/", "java/text/", "java/time/", "java/nio/", "java/net/",
        "sun/nio/cs/", "jdk/internal/math/", "jdk/internal/util/",
    };

    private static final String[] LEFT = {
        "java/lang/invoke/", "java/lang/ref/", "java/lang/reflect/", "java/lang/module/", "java/lang/constant/",
        "java/lang/runtime/", "java/lang/annotation/", "java/lang/Object", "java/lang/Class", "java/lang/Thread",
        "java/lang/Module", "java/lang/Shutdown", "java/lang/System", "java/lang/Runtime", "java/lang/Throwable",
        "java/lang/StackTraceElement", "java/lang/StackStreamFactory", "java/lang/StackWalker", "java/lang/StackFrameInfo",
        "java/lang/VirtualMachineError", "java/lang/Process", "java/lang/NamedPackage", "java/lang/Package",
        "java/lang/foreign/", "java/lang/classfile/", "java/lang/BaseVirtualThread", "java/lang/VirtualThread", "java/lang/ScopedValue",
        "java/lang/ApplicationShutdownHooks", "java/lang/Compiler", "java/lang/LiveStackFrame", "java/lang/WeakPairMap",
        "java/util/concurrent/", "java/util/jar/", "java/util/zip/", "java/util/logging/", "java/util/spi/",
        "java/util/ServiceLoader", "java/util/ResourceBundle", "java/util/prefs/", "java/nio/channels/", "java/nio/file/",
        "java/io/FileDescriptor", "java/io/FileCleanable", "java/io/ObjectInput", "java/io/ObjectOutput", "java/io/ObjectStream",
        "java/net/Socket", "java/net/ServerSocket", "java/net/Datagram", "java/net/Inet", "java/net/URLClassLoader",
        "java/net/NetworkInterface", "java/net/Multicast",
        // Of other modules.
        "java/lang/management/", "java/lang/instrument/", "java/net/http/", "sun/nio/cs/ext/",
    };

    /**
     * Among those that are left, the ones that are woven yet: collections whose elements are references (what they change past
     * their fields, with one instruction for all threads, are references, or numbers that depend on no input), and a few others.
     */
    private static final String[] YET = {
        "java/util/concurrent/ConcurrentHashMap", "java/util/concurrent/ConcurrentMap", "java/util/concurrent/CopyOnWriteArray",
        "java/util/concurrent/ConcurrentLinked", "java/util/concurrent/TimeUnit",
        // Of these there are versions of our own (`java/library`).
        "java/util/concurrent/atomic/AtomicBoolean", "java/util/concurrent/atomic/AtomicInteger",
        "java/util/concurrent/atomic/AtomicLong", "java/util/concurrent/atomic/LongA", "java/util/concurrent/atomic/DoubleA",
        "java/util/zip/Check", "java/util/zip/CRC32", "java/util/zip/Adler32",
        // Digests, but MD5, which reads its block by a variable handle. Who has which of them (`java.security.Provider`) is left.
        "java/security/MessageDigest", "sun/security/provider/ByteArrayAccess", "sun/security/provider/DigestBase", "sun/security/provider/SHA",
        // What reads files by channels.
        "java/nio/file/Files", "java/nio/file/FileChannelLinesSpliterator", "java/nio/channels/Channels",
        "sun/nio/ch/ChannelInputStream", "polypath/ChannelReads",
    };

    /** Boxes whose value lies where that of an Integer does, as HotSpot believes: a shadow field would move it. */
    static boolean hasFixedLayout(String name) {
        switch (name) {
            case "java/lang/Boolean":
            case "java/lang/Byte":
            case "java/lang/Character":
            case "java/lang/Short":
                return true;
            default:
                return false;
        }
    }

    /** Whether this class of `java.base` is woven. */
    public static boolean isWoven(String name) {
        boolean isIn = false;
        for (String p : PACKAGES) isIn |= name.startsWith(p);
        for (String p : LEFT) isIn &= !name.startsWith(p);
        for (String p : YET) isIn |= name.startsWith(p);
        return isIn;
    }
}
