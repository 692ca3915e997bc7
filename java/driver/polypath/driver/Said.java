package polypath.driver;

import java.net.URLClassLoader;
import java.util.List;
import polypath.weave.World;

/** What a call came to, in the words that Polypath and its tests know. The woven JVM and the plain one say the same. */
final class Said {
    private Said() {}

    /** The result: type and bits of a primitive, else the class, and the value in the next line where source can write it. */
    static String returned(Class<?> type, Object v, Literals literals) {
        if (type == void.class) return "V";
        if (!type.isPrimitive()) {
            if (v == null) return "null";
            String value = literals.value(v);
            if (value == null) value = ofItself(v);
            return "L " + className(v.getClass()) + (value == null ? "" : "\n" + value);
        }
        if (v instanceof Character) v = (int) (Character) v;
        if (v instanceof Float) v = Float.floatToRawIntBits((Float) v);
        if (v instanceof Double) v = Double.doubleToRawLongBits((Double) v);
        return type.descriptorString() + " " + v;
    }

    /** The same without what an object says of itself, which is another text in each run. */
    static String withoutWords(String returned) {
        int end = returned.indexOf('\n' + SAYS);
        return end < 0 ? returned : returned.substring(0, end);
    }

    /** How the line begins with what an object without source says of itself. */
    private static final String SAYS = "toString ";
    /** Classes of the library, and packages, whose objects say what they are, the same in every world. */
    private static final List<String> SAYING = List.of("java.lang.StringBuilder", "java.lang.StringBuffer", "java.lang.Class", "java.math.", "java.time.", "java.util.UUID",
            "java.util.OptionalInt", "java.util.OptionalLong", "java.util.OptionalDouble", "java.util.Locale", "java.net.URI", "java.io.File");
    /** Longer texts say too much. */
    private static final int LONGEST = 1000;

    /** What an object says of itself, if its class has words for that and says the same twice; null if not. */
    private static String ofItself(Object v) {
        Class<?> c = v.getClass();
        try {
            Class<?> by = c.getMethod("toString").getDeclaringClass();
            boolean isOwn = by.getClassLoader() instanceof URLClassLoader && !c.getName().contains(World.MADE) && !Follow.isOfCaller(c.getName().replace('.', '/'));
            boolean says = false;
            for (String name : SAYING) says |= name.endsWith(".") ? c.getName().startsWith(name) : c.getName().equals(name);
            if (!isOwn && !says) return null;
            String text = v.toString();
            // What follows the sign is where it is in memory.
            if (text == null || text.length() > LONGEST || text.contains("@") || !text.equals(v.toString())) return null;
            return SAYS + Literals.text(text);
        } catch (Throwable t) {
            return null;
        }
    }

    /** The name of a class; of one that stands for a type in the call ({@link Stubs}), which has another name in each JVM, that of the type. */
    private static String className(Class<?> c) {
        boolean isMade = c.getName().contains(World.MADE) || Follow.isOfCaller(c.getName().replace('.', '/'));
        if (!isMade) return c.getTypeName();
        return (c.getSuperclass() == Object.class && c.getInterfaces().length > 0 ? c.getInterfaces()[0] : c.getSuperclass()).getTypeName();
    }

    /** An exception: class, message, `how`, the classes above, and the calls from `last` frames below the top on. */
    static String thrown(Throwable t, String how, int last) {
        StringBuilder end = new StringBuilder(t.getClass().getName()).append('\n');
        end.append(message(t).replace("\\", "\\\\").replace("\n", "\\n")).append('\n').append(how).append('\n').append(supers(t.getClass()));
        StackTraceElement[] frames = t.getStackTrace();
        for (int k = 0; k < Math.min(last, frames.length); k++) {
            StackTraceElement f = frames[k];
            boolean ours = isOurs(f) || f.getClassName().startsWith("jdk.internal.reflect.");
            boolean stub = f.getClassName().contains(World.MADE);
            if (ours || stub) continue;
            end.append('\n').append(f.getClassName()).append('\t').append(f.getMethodName()).append('\t')
                    .append(f.getFileName() == null ? "" : f.getFileName()).append('\t').append(Math.max(0, f.getLineNumber()));
            end.append('\t').append(f.getModuleName() == null ? "" : f.getModuleName());
        }
        return end.toString();
    }

    /** Whether the call is of our own code: that has a part in the base module, and one that the JVM itself was started with. */
    static boolean isOurs(StackTraceElement f) {
        return f.getClassName().startsWith("polypath.") && (f.getModuleName() != null || "app".equals(f.getClassLoaderName()));
    }

    /** How many frames there are above the first one of these classes: those of the program. */
    static int above(Throwable t, String... classes) {
        StackTraceElement[] frames = t.getStackTrace();
        int count = 0;
        while (count < frames.length && !List.of(classes).contains(frames[count].getClassName())) count++;
        // The way to the entry point.
        while (count > 0 && frames[count - 1].getClassName().contains(".reflect.")) count--;
        return count;
    }

    private static String supers(Class<?> c) {
        StringBuilder all = new StringBuilder();
        for (; c != Object.class; c = c.getSuperclass()) all.append(all.length() == 0 ? "" : " ").append(c.getName());
        return all.toString();
    }

    private static String message(Throwable t) {
        try {
            String text = t.getMessage();
            return text == null ? "" : text;
        } catch (Throwable e) {
            return "(getMessage throws " + e.getClass().getName() + ")";
        }
    }
}
