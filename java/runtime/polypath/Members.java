package polypath;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.util.Arrays;
import jdk.internal.access.SharedSecrets;

/**
 * The members of woven classes. What weaving adds (twins, shadows, methods of its own, {@link Woven}) is no part of the program: reflection
 * shows a class as its author wrote it ({@code weave.Mirrors}), and our own code finds the rest here.
 */
public final class Members {
    private Members() {}

    /** How the names of all methods begin that weaving adds, but for twins. */
    private static final String ADDED = "polypath$";
    /** How the names of shadow fields end. */
    private static final String SHADOW = "$polypath";
    private static final int SYNTHETIC = 0x1000;

    // ------------------------------------------------------------------ what reflection shows, of what there is

    public static Method[] seen(Method[] all) {
        return written(all);
    }

    public static Constructor<?>[] seen(Constructor<?>[] all) {
        return written(all);
    }

    public static Field[] seen(Field[] all) {
        return written(all);
    }

    /** The members that weaving has not added. */
    private static <T extends Member> T[] written(T[] all) {
        int n = 0;
        for (T m : all) if (!isAdded(m)) n++;
        if (n == all.length) return all;
        T[] written = Arrays.copyOf(all, n);
        n = 0;
        for (T m : all) if (!isAdded(m)) written[n++] = m;
        return written;
    }

    private static boolean isAdded(Member m) {
        if (m instanceof Field) return isShadow((Field) m);
        return isTwin((Executable) m) || (m.getModifiers() & SYNTHETIC) != 0 && m.getName().startsWith(ADDED);
    }

    public static Class<?>[] seen(Class<?>[] interfaces) {
        int at = 0;
        while (at < interfaces.length && interfaces[at] != Woven.class) at++;
        if (at == interfaces.length) return interfaces;
        // It is the last one.
        return Arrays.copyOf(interfaces, at);
    }

    /** Whether it is a twin: its last parameter is the context. */
    private static boolean isTwin(Executable e) {
        Class<?>[] types = SharedSecrets.getJavaLangReflectAccess().getExecutableSharedParameterTypes(e);
        return types.length > 0 && types[types.length - 1] == Ctx.class;
    }

    // ------------------------------------------------------------------ what there is

    private static final ClassValue<Method[]> METHODS = new ClassValue<>() {
        @Override
        protected Method[] computeValue(Class<?> owner) {
            return (Method[]) all("getDeclaredMethods0", owner);
        }
    };

    private static final ClassValue<Constructor<?>[]> CONSTRUCTORS = new ClassValue<>() {
        @Override
        protected Constructor<?>[] computeValue(Class<?> owner) {
            return (Constructor<?>[]) all("getDeclaredConstructors0", owner);
        }
    };

    private static final ClassValue<Field[]> SHADOWS = new ClassValue<>() {
        @Override
        protected Field[] computeValue(Class<?> owner) {
            Field[] all = (Field[]) all("getDeclaredFields0", owner);
            Field[] shadows = new Field[all.length];
            int n = 0;
            for (Field f : all) if (isShadow(f)) (shadows[n++] = f).setAccessible(true);
            return Arrays.copyOf(shadows, n);
        }
    };

    /** The field with the id of what this one holds; null if there is none. */
    static Field shadow(Field of) {
        String name = of.getName();
        for (Field f : SHADOWS.get(of.getDeclaringClass())) {
            if (f.getName().length() == name.length() + SHADOW.length() && f.getName().startsWith(name)) return f;
        }
        return null;
    }

    private static boolean isShadow(Field f) {
        return (f.getModifiers() & SYNTHETIC) != 0 && f.getName().endsWith(SHADOW);
    }

    /** A method that reflection does not show. (Methods may differ by their result alone, as bridges do.) All who ask get the same object. */
    public static Method method(Class<?> owner, Class<?> returns, String name, Class<?>... types) throws NoSuchMethodException {
        for (Method m : METHODS.get(owner)) {
            if (m.getName().equals(name) && m.getReturnType() == returns && Arrays.equals(m.getParameterTypes(), types)) return m;
        }
        throw new NoSuchMethodException(owner.getName() + "." + name);
    }

    /** A constructor that reflection does not show. All who ask get the same object. */
    public static Constructor<?> constructor(Class<?> owner, Class<?>... types) throws NoSuchMethodException {
        for (Constructor<?> k : CONSTRUCTORS.get(owner)) {
            if (Arrays.equals(k.getParameterTypes(), types)) return k;
        }
        throw new NoSuchMethodException("a constructor of " + owner.getName());
    }

    private static Object all(String how, Class<?> owner) {
        try {
            Method all = Class.class.getDeclaredMethod(how, boolean.class);
            all.setAccessible(true);
            return all.invoke(owner, false);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("members of " + owner.getName(), e);
        }
    }
}
