import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.TreeSet;
import java.util.concurrent.atomic.*;

/** Prints what callers can use of classes of which Polypath has its own versions. */
public class Members {
    public static void main(String[] args) {
        Class<?>[] all = {AtomicBoolean.class, AtomicInteger.class, AtomicIntegerArray.class, AtomicLong.class, AtomicLongArray.class};
        for (Class<?> c : all) {
            TreeSet<String> members = new TreeSet<>();
            for (Method m : c.getDeclaredMethods()) if (isForCallers(m.getModifiers(), m.isSynthetic())) members.add(words(m.toString()));
            for (Constructor<?> k : c.getDeclaredConstructors()) if (isForCallers(k.getModifiers(), k.isSynthetic())) members.add(k.toString());
            System.out.println(c.getName() + " extends " + c.getSuperclass().getName() + " "
                    + java.io.ObjectStreamClass.lookup(c).getSerialVersionUID());
            for (String member : members) System.out.println(member);
        }
    }

    private static boolean isForCallers(int modifiers, boolean isSynthetic) {
        return !isSynthetic && !Modifier.isPrivate(modifiers);
    }

    private static String words(String method) {
        return method.replace("synchronized ", "");
    }
}
