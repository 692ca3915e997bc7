package polypath.driver;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import polypath.Ctx;
import polypath.RT;
import polypath.RunEnd;
import polypath.Wire;

/** The method under test: found by the name that the user gave, called with input in each parameter. */
final class Entry {
    /** The name does not lead to one method that can be called. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        Refused(String why) {
            super(why);
        }
    }

    private final String className;
    private final Class<?>[] types;
    final String methodName;
    final String description;
    final String[] names;
    final boolean isStatic;
    private final int longest;

    /** `text` is CLASS.METHOD or CLASS.METHOD(TYPES); arrays get up to `longest` elements. */
    Entry(String text, ClassLoader loader, int longest) throws Refused {
        this.longest = longest;
        int open = text.indexOf('(');
        String path = open < 0 ? text : text.substring(0, open);
        int dot = path.lastIndexOf('.');
        if (dot <= 0) throw new Refused("an entry is written CLASS.METHOD or CLASS.METHOD(TYPES)");
        className = path.substring(0, dot);
        methodName = path.substring(dot + 1);
        Class<?> c = load(className, loader);
        List<Method> found = new ArrayList<>();
        for (Method m : methods(c)) {
            if (m.getName().equals(methodName) && (open < 0 || matches(m, text.substring(open)))) found.add(m);
        }
        if (found.isEmpty()) throw new Refused("class " + className + " has no method " + path.substring(dot + 1) + (open < 0 ? "" : text.substring(open)));
        if (found.size() > 1) {
            StringBuilder all = new StringBuilder();
            for (Method m : found) all.append(all.length() == 0 ? "" : ", ").append(signature(m));
            throw new Refused("several methods have this name; write the types: " + all);
        }
        Method m = found.get(0);
        if (Modifier.isAbstract(m.getModifiers())) throw new Refused(signature(m) + " is abstract: name a class that implements it");
        if (Modifier.isNative(m.getModifiers())) throw new Refused(signature(m) + " is native: it has no bytecode");
        isStatic = Modifier.isStatic(m.getModifiers());
        if (!isStatic) constructor(c);
        types = m.getParameterTypes();
        names = new String[types.length];
        for (int k = 0; k < types.length; k++) {
            names[k] = m.getParameters()[k].isNamePresent() ? m.getParameters()[k].getName() : "arg" + k;
            if (!canBeInput(types[k])) {
                throw new Refused("parameter " + k + " has type " + types[k].getTypeName()
                        + ": input can be primitives and their arrays, strings, and constants of an enum, so far");
            }
        }
        description = signature(m);
    }

    private static Class<?> load(String name, ClassLoader loader) throws Refused {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            throw new Refused("there is no class " + name + " on the class path");
        } catch (LinkageError e) {
            throw new Refused("class " + name + " cannot be loaded: " + e);
        }
    }

    private static List<Method> methods(Class<?> c) throws Refused {
        List<Method> all = new ArrayList<>();
        try {
            for (Class<?> k = c; k != null && k.getClassLoader() instanceof AppLoader; k = k.getSuperclass()) {
                for (Method m : k.getDeclaredMethods()) {
                    // The woven forms are synthetic.
                    boolean isHidden = m.isSynthetic();
                    for (Method known : all) isHidden |= known.getName().equals(m.getName()) && signature(known).equals(signature(m));
                    if (!isHidden) all.add(m);
                }
            }
        } catch (LinkageError e) {
            throw new Refused("class " + c.getName() + " cannot be linked: " + e);
        }
        return all;
    }

    private static boolean matches(Method m, String types) {
        String wanted = types.replace(" ", "");
        StringBuilder full = new StringBuilder("(");
        StringBuilder simple = new StringBuilder("(");
        for (Class<?> t : m.getParameterTypes()) {
            full.append(full.length() == 1 ? "" : ",").append(t.getTypeName());
            simple.append(simple.length() == 1 ? "" : ",").append(t.getSimpleName());
        }
        return wanted.equals(full + ")") || wanted.equals(simple + ")");
    }

    private static String signature(Method m) {
        StringBuilder s = new StringBuilder(m.getName()).append('(');
        for (Class<?> t : m.getParameterTypes()) s.append(s.charAt(s.length() - 1) == '(' ? "" : ",").append(t.getTypeName());
        return s.append(')').toString();
    }

    private static boolean canBeInput(Class<?> t) {
        return t.isPrimitive() || t == String.class || t.isArray() && t.getComponentType().isPrimitive()
                || t.isEnum() && t.getClassLoader() instanceof AppLoader;
    }

    private static Constructor<?> constructor(Class<?> c) throws Refused {
        if (Modifier.isAbstract(c.getModifiers())) throw new Refused("class " + c.getName() + " is abstract: it has no objects");
        for (Constructor<?> k : c.getDeclaredConstructors()) {
            if (!k.isSynthetic() && k.getParameterCount() == 0) return k;
        }
        throw new Refused("class " + c.getName() + " has no constructor without parameters, which a method that is not static needs so far");
    }

    /** What a call came to. */
    static final class Outcome {
        Object value;
        Class<?> type;
        Throwable thrown;
        boolean isDeclared;
    }

    /** Calls the woven form with input in each parameter. */
    Outcome call(ClassLoader loader, Ctx c) throws Refused, ReflectiveOperationException {
        Class<?> type = load(className, loader);
        Method original = null;
        for (Class<?> k = type; original == null; k = k.getSuperclass()) {
            for (Method m : k.getDeclaredMethods()) if (!m.isSynthetic() && signature(m).equals(description)) original = m;
        }
        Class<?>[] now = original.getParameterTypes();
        List<Class<?>> twin = new ArrayList<>(List.of(now));
        for (Class<?> t : now) if (t.isPrimitive()) twin.add(int.class);
        twin.add(Ctx.class);
        Method method = original.getDeclaringClass().getDeclaredMethod(methodName, twin.toArray(new Class<?>[0]));
        method.setAccessible(true);
        Outcome outcome = new Outcome();
        outcome.type = original.getReturnType();
        Object[] values = new Object[twin.size()];
        try {
            Object receiver = null;
            if (!isStatic) {
                Constructor<?> k = constructor(type).getDeclaringClass().getDeclaredConstructor(Ctx.class);
                k.setAccessible(true);
                receiver = k.newInstance(c);
            }
            int id = now.length;
            for (int k = 0; k < now.length; k++) {
                if (now[k].isPrimitive()) {
                    long bits = RT.symbol(names[k], kind(now[k]), c);
                    // Before a box is made of anything: the library is woven, too.
                    int symbol = c.ret;
                    values[k] = primitive(now[k], bits);
                    values[id++] = symbol;
                } else {
                    values[k] = input(now[k], names[k], c);
                }
            }
            values[id] = c;
            outcome.value = method.invoke(receiver, values);
        } catch (InvocationTargetException e) {
            outcome.thrown = e.getCause();
            for (Class<?> declared : original.getExceptionTypes()) outcome.isDeclared |= declared.isInstance(e.getCause());
        }
        return outcome;
    }

    private Object input(Class<?> t, String name, Ctx c) throws ReflectiveOperationException {
        if (t.isEnum()) {
            Object[] all = t.getEnumConstants();
            return all[choice(name, all.length, c)];
        }
        boolean isString = t == String.class;
        Class<?> element = isString ? char.class : t.getComponentType();
        Object array = Array.newInstance(element, choice(name + ".length", longest + 1, c));
        RT.symbols(array, name, c);
        return isString ? string((char[]) array, c) : array;
    }

    /** A string of these characters, made by the woven constructor. */
    private static String string(char[] array, Ctx c) throws ReflectiveOperationException {
        Constructor<String> k = String.class.getDeclaredConstructor(char[].class, Ctx.class);
        return k.newInstance(array, c);
    }

    /** One of so many alternatives; each is a path of its own. */
    private static int choice(String name, int n, Ctx c) {
        int value = (int) RT.symbol(name, 'C', c);
        int id = c.ret;
        c.put(Wire.RANGE, id, 0, n - 1);
        if (value >= n) throw new RunEnd("assume");
        c.put(Wire.VALUE, -1, id, value);
        return value;
    }

    private static char kind(Class<?> t) {
        return t.descriptorString().charAt(0);
    }

    private static Object primitive(Class<?> t, long bits) {
        switch (kind(t)) {
            case 'Z': return (bits & 1) != 0;
            case 'B': return (byte) bits;
            case 'S': return (short) bits;
            case 'C': return (char) bits;
            case 'I': return (int) bits;
            case 'J': return bits;
            case 'F': return Float.intBitsToFloat((int) bits);
            default: return Double.longBitsToDouble(bits);
        }
    }
}
