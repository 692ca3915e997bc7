package polypath.driver;

import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.HashSet;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import polypath.Way;
import polypath.weave.Followed;
import polypath.weave.StandIns;

/** Lets the classes of replayed calls tell their way ({@link Way}): the agent of a plain JVM. */
public final class Follow implements ClassFileTransformer {
    /** Of the classes of the call at hand. (Here, since a class that is being loaded cannot be asked while the agent looks at it.) */
    static volatile ClassLoader loader;
    /** The classes that make the calls. */
    static final Set<String> callers = new HashSet<>();

    /** The class and the method with which the way begins. */
    private final String entryClass;
    private final String entry;

    private Follow(String entryClass, String entry) {
        this.entryClass = entryClass;
        this.entry = entry;
    }

    /** Writes the agent's archive, which only says where its classes are: FILE, and the directory that the program sees, too. */
    public static void main(String[] args) throws IOException {
        Manifest says = new Manifest();
        Attributes all = says.getMainAttributes();
        all.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        all.putValue("Premain-Class", Follow.class.getName());
        all.putValue("Boot-Class-Path", args[1]);
        new JarOutputStream(new FileOutputStream(args[0]), says).close();
    }

    /** `text` is CLASS.METHOD. */
    public static void premain(String text, Instrumentation to) {
        int dot = text.lastIndexOf('.');
        to.addTransformer(new Follow(text.substring(0, dot).replace('.', '/'), text.substring(dot + 1)));
    }

    @Override
    public byte[] transform(ClassLoader by, String name, Class<?> of, ProtectionDomain domain, byte[] file) {
        if (by == null || by != loader || name == null || isOurs(name)) return null;
        try {
            return Followed.of(file, entryClass, entry);
        } catch (Throwable t) {
            // As it is broken, or has no room for more.
            Way.lose();
            return null;
        }
    }

    /** Whether a class is no part of the program: those that make the calls, and those that give it its input. */
    private static boolean isOurs(String name) {
        return StandIns.has(name) || name.equals("polypath/Given") || name.equals("polypath/Symbolic") || name.startsWith("polypath/Given$")
                || name.startsWith("polypath/Symbolic$") || callers.contains(name)
                || isOfCaller(name);
    }

    /** Whether it is a lambda or an anonymous class of what makes the calls. */
    static boolean isOfCaller(String name) {
        for (String caller : callers) if (name.startsWith(caller + "$")) return true;
        return false;
    }
}
