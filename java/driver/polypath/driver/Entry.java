package polypath.driver;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import polypath.Ctx;
import polypath.Members;
import polypath.Pending;
import polypath.RT;
import polypath.RunEnd;

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
    private final Inputs inputs;
    private final String[] names;
    private final boolean[] unread;
    /** Parameters of which nothing is decided before the method reads them ({@link polypath.Pending}). */
    private final boolean[] late;
    private final boolean isStatic;
    private final Arguments arguments;
    final Literals literals;
    final String methodName;
    final String description;
    /** Whether source in the same package may call it. */
    private final boolean canBeCalled;
    /** What a test in Java has to know, a line each. */
    final String facts;

    /** Whether the program has read all of the standard input that it was given. */
    boolean readsToEnd() {
        return arguments != null && arguments.isReadToEnd();
    }

    /** `text` is CLASS.METHOD or CLASS.METHOD(TYPES); `arguments` are those of a whole program, else null. */
    Entry(String text, AppLoader loader, Inputs.Sizes sizes, Inputs.Sizes texts, Arguments arguments) throws Refused {
        this.arguments = arguments;
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
        if (found.isEmpty()) {
            String named = signatures(methods(c), methodName);
            String types = open < 0 ? "" : text.substring(open);
            String others = named.isEmpty() ? "" : "; there are: " + named;
            throw new Refused("class " + className + " has no method " + methodName + types + others);
        }
        if (found.size() > 1) {
            throw new Refused("several methods have this name; write the types: " + signatures(found, methodName));
        }
        Method m = found.get(0);
        if (Modifier.isAbstract(m.getModifiers())) throw new Refused(signature(m) + " is abstract: name a class that implements it");
        if (Modifier.isNative(m.getModifiers())) throw new Refused(signature(m) + " is native: it has no bytecode");
        isStatic = Modifier.isStatic(m.getModifiers());
        literals = new Literals(c);
        inputs = new Inputs(sizes, texts, literals, loader.implementations(), loader::compares, isPublic(c, m), methodName);
        String why = isStatic ? null : inputs.makers.refusal(c);
        if (why != null) throw new Refused("a method that is not static needs an object: " + why);
        Type[] types = m.getGenericParameterTypes();
        names = ParameterNames.of(m);
        unread = UnreadParameters.of(m);
        late = new boolean[types.length];
        boolean tells = m.getDeclaringClass() == c && loader.tellsReads(c, MethodFile.key(m));
        for (int k = 0; k < types.length; k++) {
            why = inputs.makers.refusal(types[k]);
            if (why != null) throw new Refused("parameter " + k + " cannot be input: " + why);
            late[k] = tells && (arguments != null || Quiet.is(types[k], 0, inputs));
        }
        description = signature(m);
        canBeCalled = literals.canUse(m.getDeclaringClass(), m.getModifiers()) && literals.canName(c);
        facts = facts(c, m);
    }

    /** Whether callers outside of its package can call it. */
    private static boolean isPublic(Class<?> c, Method m) {
        for (Class<?> k = c; k != null; k = k.getEnclosingClass()) if (!Modifier.isPublic(k.getModifiers())) return false;
        return Modifier.isPublic(m.getModifiers());
    }

    private static Class<?> load(String name, ClassLoader loader) throws Refused {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            throw new Refused("there is no class " + name + " on the class path");
        } catch (LinkageError | RunEnd e) {
            throw new Refused("class " + name + " cannot be loaded: " + e);
        }
    }

    private String facts(Class<?> c, Method m) {
        StringBuilder types = new StringBuilder();
        for (Class<?> t : m.getParameterTypes()) types.append(types.length() == 0 ? "" : ", ").append(literals.type(t));
        return "package\t" + c.getPackageName() + "\nclass\t" + c.getName() + "\ntype\t" + literals.type(c)
                + "\nmethod\t" + methodName + "\nsource\t" + (canBeCalled ? literals.name(c) : "") + "\ntypes\t" + types
                + "\ndeclares\t" + m.getDeclaringClass().getName() + "\nreturns\t" + m.getReturnType().getTypeName() + (isStatic ? "\nstatic\t" : "") + (arguments != null && arguments.hasInput() ? "\nstdin\t" : "")
                + (arguments != null && arguments.hasFiles() ? "\nfiles\t" + arguments.files() : "") + raw(m);
    }

    /** The parameter that gets the bytes of a file which a run begins with. */
    private String raw(Method m) {
        if (arguments != null) return arguments.hasInput() ? "\nraw\tB stdin" : arguments.hasFiles() ? "\nraw\tB A" : "";
        for (int k = 0; k < names.length; k++) {
            Class<?> t = m.getParameterTypes()[k];
            if (t == byte[].class || t == String.class) return "\nraw\t" + (t == String.class ? "C " : "B ") + names[k];
        }
        return "";
    }

    private static List<Method> methods(Class<?> c) throws Refused {
        List<Method> all = new ArrayList<>();
        try {
            for (Class<?> k = c; k != null && k.getClassLoader() instanceof AppLoader; k = k.getSuperclass()) {
                for (Method m : k.getDeclaredMethods()) {
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

    /** Whether these are the types of its parameters, each with its packages or without them. */
    private static boolean matches(Method m, String types) {
        String wanted = types.replace(" ", "");
        if (!wanted.endsWith(")")) return false;
        String inner = wanted.substring(1, wanted.length() - 1);
        String[] each = inner.isEmpty() ? new String[0] : inner.split(",", -1);
        Class<?>[] all = m.getParameterTypes();
        boolean fits = each.length == all.length;
        for (int k = 0; fits && k < all.length; k++) fits = isNamed(all[k], each[k]);
        return fits;
    }

    /** By the name that the JVM has, that source has, or one of them without the packages. */
    private static boolean isNamed(Class<?> t, String name) {
        String type = t.getTypeName();
        String source = t.getCanonicalName() == null ? type : t.getCanonicalName();
        Class<?> element = t;
        while (element.isArray()) element = element.getComponentType();
        int packages = element.isPrimitive() || element.getPackageName().isEmpty() ? 0 : element.getPackageName().length() + 1;
        boolean isLong = name.equals(type) || name.equals(source);
        return isLong || name.equals(t.getSimpleName()) || name.equals(type.substring(packages)) || name.equals(source.substring(packages));
    }

    /** Those of this name, with commas between. */
    private static String signatures(List<Method> all, String name) {
        StringBuilder text = new StringBuilder();
        for (Method m : all) if (m.getName().equals(name)) text.append(text.length() == 0 ? "" : ", ").append(signature(m));
        return text.toString();
    }

    private static String signature(Method m) {
        StringBuilder s = new StringBuilder(m.getName()).append('(');
        for (Class<?> t : m.getParameterTypes()) s.append(s.charAt(s.length() - 1) == '(' ? "" : ",").append(t.getTypeName());
        return s.append(')').toString();
    }

    /** Which input an exception of the last call was about, and why ({@link Unfit}). */
    String unfit(Throwable t, Ctx c) {
        boolean paused = RT.pause();
        try {
            return Unfit.of(t, c, inputs.given, this);
        } finally {
            RT.resume(paused);
        }
    }

    /** The calls that the driver made for it, with their parameters ({@link Given#calls}): the method's own first. */
    String calls() {
        return inputs.given.calls();
    }

    /** Of the classes of the last call. */
    ClassLoader loader() {
        return loader;
    }

    private ClassLoader loader;

    /** What a call came to. */
    static final class Outcome {
        Object value;
        Class<?> type;
        /** Its way through the blocks; 0 if nobody can tell. */
        long way;
        /** Steps that the run had left when it ended. */
        long left;
        Throwable thrown;
        boolean isDeclared;
        /** The object and the arguments as source has them; null for one that source cannot make. None before the call. */
        List<String> source;
        /** Objects of input that these were made of. */
        int asked;
        /** Whether it did not come to the call, as an object that is input cannot be made. */
        boolean isRefused;
    }

    /** Calls the woven form with input in each parameter. */
    void call(AppLoader loader, Ctx c, Outcome outcome) throws Refused, ReflectiveOperationException {
        this.loader = loader;
        Class<?> type = load(className, loader);
        Method original = null;
        for (Class<?> k = type; original == null; k = k.getSuperclass()) {
            for (Method m : k.getDeclaredMethods()) if (!m.isSynthetic() && signature(m).equals(description)) original = m;
        }
        Class<?>[] now = original.getParameterTypes();
        List<Class<?>> twin = new ArrayList<>(List.of(now));
        for (Class<?> t : now) if (t.isPrimitive()) twin.add(int.class);
        twin.add(Ctx.class);
        Method method = Members.method(original.getDeclaringClass(), original.getReturnType(), methodName, twin.toArray(new Class<?>[0]));
        method.setAccessible(true);
        outcome.type = original.getReturnType();
        Object[] values = new Object[twin.size()];
        List<String> source = new ArrayList<>();
        inputs.begin(loader);
        inputs.given.call("", names);
        c.pending = new Pending(MethodFile.key(original), now.length);
        int next = isStatic ? 0 : -1;
        try {
            Object receiver = null;
            if (!isStatic) {
                Inputs.Made m = inputs.receiver(type, c);
                receiver = m.value;
                source.add(m.source);
                next = 0;
            }
            // One of another class may have another method.
            boolean isIt = isStatic || receiver.getClass() == type;
            int id = now.length;
            Type[] generic = original.getGenericParameterTypes();
            for (int k = 0; k < now.length; next = ++k) {
                if (isIt && late[k]) c.pending.begin(k);
                Inputs.Made m = arguments != null ? arguments.make(inputs, c)
                        : unread[k] ? new Inputs.Made(null, 0, literals.zero(now[k])) : inputs.make(generic[k], names[k], c);
                c.pending.end();
                values[k] = m.value;
                source.add(m.source);
                if (now[k].isPrimitive()) values[id++] = m.id;
            }
            values[id] = c;
            outcome.asked = inputs.asked;
            outcome.source = source;
            c.beginWay();
            try {
                outcome.value = method.invoke(receiver, values);
            } finally {
                outcome.way = c.way();
            }
        } catch (Inputs.Refused e) {
            outcome.thrown = e.getCause();
            outcome.isRefused = true;
            source.add(e.source);
            for (int rest = next + 1; rest < now.length; rest++) source.add(literals.zero(now[rest]));
            outcome.asked = inputs.asked;
            outcome.source = source;
        } catch (InvocationTargetException e) {
            outcome.thrown = e.getCause();
            for (Class<?> declared : original.getExceptionTypes()) outcome.isDeclared |= declared.isInstance(e.getCause());
        }
        if (outcome.source == null) return;
        outcome.source = inputs.finished(outcome.source, c);
        if (c.symbols() == inputs.asked) outcome.asked = inputs.asked;
    }
}
