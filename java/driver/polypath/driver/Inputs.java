package polypath.driver;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import polypath.Ctx;
import polypath.Lengths;
import polypath.Members;
import polypath.RT;
import polypath.RunEnd;
import polypath.Wire;

/**
 * Makes values from input, and says how Java source makes the same. What kind of object a type gets is a choice, which is
 * input, too: null or not, a constructor, a length. Objects of the program's classes are made as a caller of the entry point could make them
 * ({@link Makers}). Where there is no such way they are made by what is not public, and the run says so by a choice of its own ({@link #HIDDEN}).
 */
final class Inputs {
    /** A value and its source, which is null where source cannot make it. */
    static final class Made {
        final Object value;
        /** Of a primitive, else 0. */
        final int id;
        final String source;

        Made(Object value, int id, String source) {
            this.value = value;
            this.id = id;
            this.source = source;
        }
    }

    /** A constructor of the program throws: there is no such object. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        /** What is evaluated up to the exception, as source has it; null where source cannot make it. */
        final String source;

        Refused(Throwable cause, String source) {
            super(cause);
            this.source = source;
        }
    }

    /**
     * How the name of a choice ends that is made for each object which no caller could make, behind the name of its class: an error of a run
     * with one may need a call that cannot be (`run::contract`).
     */
    private static final String HIDDEN = ".hidden";
    /** The same for a collection with elements whose type does not say what they are. */
    private static final String RAW = ".raw";

    /** How many elements: from and to, and to where that may grow. Each bound is twice the one before. */
    static final class Sizes {
        final int least;
        final int most;
        final int greatest;

        Sizes(int least, int most, int greatest) {
            this.least = least;
            this.most = Math.min(most, greatest);
            this.greatest = greatest;
        }

        static Sizes fixed(int least, int most) {
            return new Sizes(least, most, most);
        }
    }

    private final Sizes sizes;
    private final Sizes texts;
    private final Literals literals;
    private final Stubs stubs;
    private final NamedFiles files;
    final Makers makers;
    private final Mutators mutators;
    final Given given = new Given();
    private final Map<String, String[]> parameterNames = new HashMap<>();
    /** Objects of input that were asked for. */
    int asked;
    /** Whether the program asks if references are the same: a constant in source would be the same string as one of the program's. */
    private final BooleanSupplier compares;
    /** Strings of the call that are constants in its source: equal constants would be one object. */
    private final Set<String> constants = new HashSet<>();

    Inputs(Sizes sizes, Sizes texts, Literals literals, Implementations implementations, BooleanSupplier compares, boolean isOutside, String entry) {
        makers = new Makers(literals, implementations, isOutside);
        mutators = new Mutators(makers, entry);
        this.compares = compares;
        this.sizes = sizes;
        this.texts = texts;
        this.literals = literals;
        stubs = new Stubs(this, literals);
        files = new NamedFiles(this);
    }

    // ------------------------------------------------------------------ values

    /** A value of a type that is not refused. */
    Made make(Type type, String name, Ctx c) throws ReflectiveOperationException, Refused {
        return make(type, name, c, 0);
    }

    private Made make(Type type, String name, Ctx c, int depth) throws ReflectiveOperationException, Refused {
        Class<?> t = Types.raw(type);
        if (t.isPrimitive()) {
            asked++;
            long bits = RT.symbol(name, Types.kind(t), c);
            // Before a box is made of anything: the library is woven, too.
            int id = c.ret;
            Object value = Types.primitive(t, bits);
            given.number(name, id);
            return new Made(value, id, source(value));
        }
        if (t == String.class) return string(name, texts, c);
        if (t.isArray() && t.getComponentType().isPrimitive()) {
            Lengths.Length length = length(name + ".length", sizes, c);
            Object array = Array.newInstance(t.getComponentType(), length.value());
            asked++;
            RT.symbols(array, name, c);
            RT.open(array, length, c);
            given.array(name, array);
            return new Made(array, 0, source(array));
        }
        if (t.isEnum()) {
            Object[] all = t.getEnumConstants();
            Object value = all[choice(name, all.length, c)];
            return new Made(value, 0, source(value));
        }
        if (t.isArray()) return array(Types.elementOf(type), name, c, depth);
        if (!Implementations.isProvider(t) && choice(name + ".null", 2, c) == 1) return new Made(null, 0, "(" + literals.name(t) + ") null");
        if (Types.BOXES.containsKey(t)) return box(t, name, c);
        if (Types.COLLECTIONS.containsKey(t)) return collection(type, name, c, depth);
        if (t == Class.class) return classObject(type, name, c);
        if (Library.constants(t) != null) return constant(Library.constants(t), name, c);
        if (t == Optional.class || Library.held(t, null) != null) return optional(t, Library.held(t, Types.arguments(type)[0]), name, c, depth);
        if (NamedFiles.has(t)) return files.make(t, name, c);
        if (Library.kinds(t) != null) return anyOf(t, Library.kinds(t), name, c);
        if (Library.maker(t) != null) return library(Library.maker(t), name, c);
        if (!(t.getClassLoader() instanceof AppLoader) && Stubs.isFunction(t)) return stubs.make(type, name, c, depth, false);
        return object(type, name, c, depth);
    }

    /** What a method of a stub returns: null where no value can be made. */
    Made answer(Type type, String name, Ctx c, int depth) throws ReflectiveOperationException, Refused {
        Class<?> t = Types.raw(type);
        answering++;
        try {
            boolean can = t.isPrimitive() || depth <= Makers.DEEPEST && makers.refusal(type, depth) == null;
            return can ? make(type, name, c, depth) : new Made(null, 0, literals.zero(t));
        } finally {
            answering--;
        }
    }

    /** As an object, if it is a primitive. */
    Object boxed(Class<?> t, Made m, Ctx c) throws ReflectiveOperationException {
        if (!t.isPrimitive()) return m.value;
        Class<?> box = Types.boxOf(t);
        return invoke(Members.method(box, box, "valueOf", t, int.class, Ctx.class), null, m.value, m.id, c);
    }

    /** Bytes of input, which are written to where nobody follows them: their number is a decision. */
    Made bytes(String name, Ctx c) throws ReflectiveOperationException, Refused {
        Made bytes = make(byte[].class, name, c);
        RT.settle(bytes.value, c);
        return bytes;
    }

    private Made array(Type element, String name, Ctx c, int depth) throws ReflectiveOperationException, Refused {
        // Elements that decide nothing when they are made need no length.
        Lengths.Length length = length(name + ".length", sizes, c);
        int n = length.value();
        Object[] all = (Object[]) Array.newInstance(Types.raw(element), n);
        if (isUndecided(Types.raw(element))) RT.open(all, length, c);
        else RT.settle(length, c);
        List<String> sources = new ArrayList<>();
        for (int k = 0; k < n; k++) {
            Made m = make(element, name + "[" + k + "]", c, depth + 1);
            all[k] = m.value;
            sources.add(m.source);
        }
        boolean can = literals.canName(Types.raw(element)) && !sources.contains(null);
        return new Made(all, 0, can ? literals.newArray(Types.raw(element), String.join(", ", sources)) : null);
    }

    /** Whether no value of the type is decided when it is made. */
    private static boolean isUndecided(Class<?> t) {
        return t == String.class || t.isPrimitive() || t.isArray() && isUndecided(t.getComponentType());
    }

    /** A string of input. */
    Made string(String name, Sizes size, Ctx c) throws ReflectiveOperationException {
        Lengths.Length length = length(name + ".length", size, c);
        asked++;
        String value = RT.text(name, length, c);
        given.text(name, value);
        return new Made(value, 0, fresh(value));
    }

    /** A string that is no input. */
    Made constant(String text) {
        return new Made(text, 0, source(text));
    }

    /** An array of strings that were made. */
    Made strings(List<Made> all) {
        String[] array = new String[all.size()];
        List<String> sources = new ArrayList<>();
        for (int k = 0; k < array.length; k++) {
            array[k] = (String) all.get(k).value;
            sources.add(all.get(k).source);
        }
        return new Made(array, 0, sources.contains(null) ? null : literals.newArray(String.class, String.join(", ", sources)));
    }

    private Made box(Class<?> t, String name, Ctx c) throws ReflectiveOperationException, Refused {
        Made of = make(Types.BOXES.get(t), name, c);
        Method twin = Members.method(t, t, "valueOf", Types.BOXES.get(t), int.class, Ctx.class);
        return new Made(invoke(twin, null, of.value, of.id, c), 0, t.getSimpleName() + ".valueOf(" + of.source + ")");
    }

    /** An object of one of these classes of the library. Source says the type, as other methods may take the class. */
    private Made anyOf(Class<?> t, Class<?>[] all, String name, Ctx c) throws ReflectiveOperationException, Refused {
        c.lose(Wire.LOST_INPUT, -1);
        Class<?> of = all[0];
        if (all.length > 1) {
            of = all[choice(name + ".class", all.length, c)];
            // What is input under one name has one type.
            name += "." + of.getSimpleName();
        }
        Made m = of == String.class ? string(name, texts, c) : Types.BOXES.containsKey(of) ? box(of, name, c) : library(Library.maker(of), name, c);
        return new Made(m.value, 0, m.source == null ? null : "(" + literals.name(t) + ") " + m.source);
    }

    /** An object of a class of the library. */
    private Made library(Library.Maker maker, String name, Ctx c) throws ReflectiveOperationException, Refused {
        if (!maker.isWhole) c.lose(Wire.LOST_INPUT, -1);
        Parameters parameters = new Parameters(maker.types);
        List<String> sources = new ArrayList<>();
        String[] names = numbers(maker.types.length);
        if (names.length > 1) given.call(name + ".", names);
        for (int k = 0; k < maker.types.length; k++) {
            String each = maker.types.length == 1 ? name : name + "." + names[k];
            Made m;
            if (Library.isSmall(maker, k)) {
                int value = choice(each, Library.SMALL, c);
                m = new Made(value, 0, String.valueOf(value));
            } else {
                m = make(maker.types[k], each, c);
            }
            parameters.set(k, m);
            sources.add(m.source);
        }
        Object[] values = parameters.values(c);
        String how = (maker.method == null ? "new " : "") + literals.name(maker.of) + (maker.method == null ? "" : "." + maker.method);
        String source = sources.contains(null) ? null : how + "(" + String.join(", ", sources) + ")";
        if (maker.method != null) return new Made(invoke(Members.method(maker.of, maker.of, maker.method, parameters.types), null, values), 0, source);
        try {
            return new Made(Members.constructor(maker.of, parameters.types).newInstance(values), 0, source);
        } catch (InvocationTargetException e) {
            // There is no such object.
            throw e.getCause() instanceof RunEnd ? (RunEnd) e.getCause() : new RunEnd("assume");
        }
    }

    /** A constant of the library. There are others. */
    private Made constant(Library.Constants all, String name, Ctx c) throws ReflectiveOperationException {
        c.lose(Wire.LOST_INPUT, -1);
        int which = choice(name, all.count(), c);
        return new Made(all.value(which), 0, all.source(which, literals));
    }

    /** The object of a class: of the one that the type says, else of one of several. */
    private Made classObject(Type type, String name, Ctx c) {
        c.lose(Wire.LOST_INPUT, -1);
        Class<?> bound = type instanceof ParameterizedType ? Types.raw(((ParameterizedType) type).getActualTypeArguments()[0]) : Object.class;
        Class<?> of = bound == Object.class ? Library.CLASSES[choice(name, Library.CLASSES.length, c)] : bound == Enum.class ? makers.someEnum() : bound;
        return new Made(of, 0, literals.canName(of) ? "(Class) " + literals.name(of) + ".class" : null);
    }

    /** Without a value, or with one. */
    private Made optional(Class<?> t, Type held, String name, Ctx c, int depth) throws ReflectiveOperationException, Refused {
        String of = literals.name(t);
        if (choice(name + ".empty", 2, c) == 1) return new Made(t.getMethod("empty").invoke(null), 0, of + ".empty()");
        Class<?> type = Types.raw(held);
        Made m = make(held, name + ".value", c, depth + 1);
        // An optional value that holds null is an empty one.
        if (!type.isPrimitive() && m.value == null) throw new RunEnd("assume");
        Parameters parameters = new Parameters(new Class<?>[] {type.isPrimitive() ? type : Object.class});
        parameters.set(0, m);
        Object value = invoke(Members.method(t, t, "of", parameters.types), null, parameters.values(c));
        return new Made(value, 0, m.source == null ? null : of + ".of(" + m.source + ")");
    }

    private Made collection(Type type, String name, Ctx c, int depth) throws ReflectiveOperationException, Refused {
        Class<?> t = Types.COLLECTIONS.get(Types.raw(type));
        Type[] of = Types.arguments(type);
        int n = size(name + ".size", sizes, c);
        // Strings are a guess.
        if (n > 0 && !(type instanceof ParameterizedType)) choice(name + RAW, 1, c);
        boolean isOfEnum = Types.isOfEnum(t);
        Object value = isOfEnum ? ofEnum(t, Types.raw(of[0])) : t.getDeclaredConstructor().newInstance();
        List<String> sources = new ArrayList<>();
        for (int k = 0; k < n; k++) {
            Object[] one = new Object[of.length];
            StringBuilder both = new StringBuilder();
            for (int i = 0; i < of.length; i++) {
                Made m = make(of[i], name + (i == 0 ? "[" : ".value[") + k + "]", c, depth + 1);
                one[i] = m.value;
                if (m.source == null) sources.add(null);
                both.append(i == 0 ? "" : ", ").append(m.source);
            }
            add(value, one);
            sources.add(both.toString());
        }
        boolean isIterator = Types.raw(type) == Iterator.class;
        if (isIterator) value = ((Collection<?>) value).iterator();
        if (sources.contains(null) || isOfEnum && !literals.canName(Types.raw(of[0]))) return new Made(value, 0, null);
        String source = collection(t, isOfEnum ? literals.name(Types.raw(of[0])) + ".class" : "", sources, of.length);
        return new Made(value, 0, isIterator ? "(java.util.Iterator) " + source + ".iterator()" : source);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Object ofEnum(Class<?> t, Class<?> constants) {
        return t == EnumSet.class ? EnumSet.noneOf((Class) constants) : new EnumMap((Class) constants);
    }

    /** The source of a collection; `first`: what its constructor is given. */
    private String collection(Class<?> t, String first, List<String> sources, int each) {
        if (t == EnumSet.class && sources.isEmpty()) return literals.name(t) + ".noneOf(" + first + ")";
        if (t == EnumSet.class) return literals.name(t) + ".copyOf(java.util.Arrays.asList(" + String.join(", ", sources) + "))";
        String maker = "new " + literals.name(t) + "<>(" + first;
        if (sources.isEmpty()) return maker + ")";
        // Null is an element like others, which `List.of` does not take; a map has no shorter expression.
        if (each == 1) return maker + "java.util.Arrays.asList(" + String.join(", ", sources) + "))";
        StringBuilder body = new StringBuilder(maker + ") {{ ");
        for (String pair : sources) body.append("put(").append(pair).append("); ");
        return body + "}}";
    }

    @SuppressWarnings("unchecked")
    private static void add(Object collection, Object[] one) {
        // An array that is given to the library loses its ids; where it goes depends on none of them.
        boolean isArray = one[0] != null && one[0].getClass().isArray() || one.length == 2 && one[1] != null && one[1].getClass().isArray();
        boolean paused = isArray && RT.pause();
        try {
            if (one.length == 2) ((Map<Object, Object>) collection).put(one[0], one[1]);
            else ((Collection<Object>) collection).add(one[0]);
        } catch (NullPointerException | ClassCastException e) {
            // This collection takes no null, or nothing without an order.
            throw new RunEnd("assume");
        } finally {
            RT.resume(paused);
        }
    }

    private Made object(Type type, String name, Ctx c, int depth) throws ReflectiveOperationException, Refused {
        Class<?> t = Types.raw(type);
        if (Types.isAbstract(t)) {
            List<Class<?>> all = makers.concrete(t, depth);
            boolean hasClass = !all.isEmpty() && makers.isOpen(all.get(0), depth);
            if (all.isEmpty() && makers.ways(t, depth).all.isEmpty()) {
                boolean isOpen = makers.canUse(t, t.getModifiers());
                if (!isOpen) choice(name + "." + t.getSimpleName() + HIDDEN, 1, c);
                return stubs.make(type, name, c, depth, isOpen);
            }
            if (hasClass || makers.ways(t, depth).all.isEmpty()) {
                Class<?> chosen = all.get(all.size() == 1 ? 0 : choice(name + ".class", all.size(), c));
                return chosen.isEnum() ? make(chosen, name, c, depth) : object(chosen, name, c, depth);
            }
        }
        Makers.Ways ways = makers.ways(t, depth);
        int n = ways.all.size();
        String choice = name + (ways.isOpen ? ".constructor" : "." + t.getSimpleName() + HIDDEN);
        int which = n == 1 && ways.isOpen ? 0 : choice(choice, n, c);
        // What is input under one name has one type.
        Made m = construct(t, ways.all.get(which), which == 0 ? name : name + "(" + which + ")", c, depth);
        return depth == 0 ? changed(t, m, name, c) : m;
    }

    /** An object after up to two calls of methods that change it ({@link Mutators}): each call waits for what is without it. */
    private Made changed(Class<?> t, Made m, String name, Ctx c) throws ReflectiveOperationException {
        int count = mutators.count(t);
        if (count == 0) return m;
        List<String> calls = new ArrayList<>();
        for (int n = 1; n <= Mutators.CALLS; n++) {
            String call = name + ".call" + n;
            int which = choice(call, count + 1, Wire.VALUE | Wire.CAN_WAIT, c);
            if (which == 0) break;
            Method k = mutators.of(t).get(which - 1);
            Parameters parameters = new Parameters(k.getParameterTypes());
            List<String> sources = new ArrayList<>();
            String prefix = call + "(" + which + ").";
            String[] names = namesOf(k);
            given.call(prefix, names);
            try {
                for (int i = 0; i < k.getParameterCount(); i++) {
                    Made argument = make(k.getGenericParameterTypes()[i], prefix + names[i], c, 1);
                    parameters.set(i, argument);
                    sources.add(argument.source);
                }
            } catch (Refused e) {
                throw new RunEnd("assume");
            }
            Method woven = Members.method(k.getDeclaringClass(), k.getReturnType(), k.getName(), parameters.types);
            // One that throws leaves no object that a test is about.
            invoke(woven, m.value, parameters.values(c));
            boolean can = literals.canUse(k.getDeclaringClass(), k.getModifiers()) && !sources.contains(null);
            calls.add(can ? k.getName() + "(" + String.join(", ", sources) + ")" : null);
        }
        if (calls.isEmpty()) return m;
        boolean can = m.source != null && literals.canName(t) && !calls.contains(null);
        return new Made(m.value, 0, can ? mutators.source(literals.name(t), m.source, calls) : null);
    }

    /** Whether objects of the class are changed by calls before the method under test gets them. */
    boolean isChanged(Class<?> t) {
        return mutators.count(t) > 0;
    }

    /** The object under test: of its class's first constructor. */
    Made receiver(Class<?> t, Ctx c) throws ReflectiveOperationException, Refused {
        return object(t, "this", c, 0);
    }

    /** What a twin is called with: the parameters, the ids of those that are primitive, the context. (In an array: what is put into a collection is given to the library.) */
    private static final class Parameters {
        final Class<?>[] types;
        private final Object[] values;
        private int ids;

        Parameters(Class<?>[] of) {
            int n = of.length + 1;
            for (Class<?> t : of) if (t.isPrimitive()) n++;
            types = Arrays.copyOf(of, n);
            Arrays.fill(types, of.length, n - 1, int.class);
            types[n - 1] = Ctx.class;
            values = new Object[n];
            ids = of.length;
        }

        void set(int k, Made m) {
            values[k] = m.value;
            if (types[k].isPrimitive()) values[ids++] = m.id;
        }

        Object[] values(Ctx c) {
            values[values.length - 1] = c;
            return values;
        }
    }

    /** The names of a constructor's parameters, which are those of the classes of any loader. */
    private String[] namesOf(Executable k) {
        boolean paused = RT.pause();
        try {
            return parameterNames.computeIfAbsent(k.toString(), key -> ParameterNames.inside(k));
        } finally {
            RT.resume(paused);
        }
    }

    /** Names of parameters of which the source is not known. */
    private static String[] numbers(int count) {
        String[] names = new String[count];
        for (int k = 0; k < count; k++) names[k] = String.valueOf(k);
        return names;
    }

    private Made construct(Class<?> t, Executable k, String name, Ctx c, int depth) throws ReflectiveOperationException, Refused {
        Class<?> owner = k.getDeclaringClass();
        boolean isOfObject = k instanceof Method && !Modifier.isStatic(k.getModifiers());
        Made on = isOfObject ? object(owner, name + ".builder", c, depth + 1) : null;
        Class<?>[] types = k.getParameterTypes();
        Type[] generic = k.getGenericParameterTypes();
        Parameters parameters = new Parameters(types);
        List<String> sources = new ArrayList<>();
        String[] names = namesOf(k);
        given.call(name + ".", names);
        for (int i = 0; i < types.length; i++) {
            String parameter = names[i];
            Made m;
            try {
                m = make(generic[i], name + "." + parameter, c, depth + 1);
            } catch (Refused e) {
                sources.add(e.source);
                for (int rest = i + 1; rest < types.length; rest++) sources.add(literals.zero(types[rest]));
                throw new Refused(e.getCause(), source(t, k, on, sources));
            }
            parameters.set(i, m);
            sources.add(m.source);
        }
        Object value;
        try {
            if (k instanceof Constructor) {
                Constructor<?> woven = Members.constructor(owner, parameters.types);
                woven.setAccessible(true);
                value = woven.newInstance(parameters.values(c));
            } else {
                Method woven = Members.method(owner, ((Method) k).getReturnType(), k.getName(), parameters.types);
                woven.setAccessible(true);
                value = woven.invoke(on == null ? null : on.value, parameters.values(c));
            }
            // It makes no object of this.
            if (!t.isInstance(value)) throw new RunEnd("assume");
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RunEnd) throw (RunEnd) e.getCause();
            throw new Refused(e.getCause(), source(t, k, on, sources));
        }
        return new Made(value, 0, source(t, k, on, sources));
    }

    /** Calls the constructor of a stub's class, which is given its results first. `sources`: gets those of the other arguments. */
    Object constructStub(Constructor<?> k, Object results, List<String> sources, String name, Ctx c, int depth) throws ReflectiveOperationException, Refused {
        Class<?>[] types = k.getParameterTypes();
        Type[] generic = k.getGenericParameterTypes();
        Parameters parameters = new Parameters(types);
        parameters.set(0, new Made(results, 0, null));
        String[] names = numbers(types.length - 1);
        given.call(name + ".", names);
        for (int i = 1; i < types.length; i++) {
            Made m = make(generic[i], name + "." + names[i - 1], c, depth + 1);
            parameters.set(i, m);
            sources.add(m.source);
        }
        Constructor<?> woven = Members.constructor(k.getDeclaringClass(), parameters.types);
        woven.setAccessible(true);
        try {
            return woven.newInstance(parameters.values(c));
        } catch (InvocationTargetException e) {
            // There is no such object.
            throw e.getCause() instanceof RunEnd ? (RunEnd) e.getCause() : new RunEnd("assume");
        }
    }

    /** The call of a constructor, or of what stands for it; `on`: the object that it is called on, null for none. */
    private String source(Class<?> t, Executable k, Made on, List<String> sources) {
        Class<?> owner = k.getDeclaringClass();
        boolean can = literals.canName(owner) && literals.canUse(owner, k.getModifiers()) && !sources.contains(null);
        can &= !isAnswering() || !hasChecked(k);
        if (!can || on != null && on.source == null) return null;
        String name = literals.name(owner);
        String what = k instanceof Constructor ? "new " + name : (on == null ? name : on.source) + "." + k.getName();
        String call = what + "(" + String.join(", ", sources) + ")";
        boolean isLess = k instanceof Method && ((Method) k).getReturnType() != t;
        return isLess ? literals.canName(t) ? "((" + literals.name(t) + ") " + call + ")" : null : call;
    }

    private static boolean hasChecked(Executable k) {
        for (Class<?> e : k.getExceptionTypes()) if (!RuntimeException.class.isAssignableFrom(e) && !Error.class.isAssignableFrom(e)) return true;
        return false;
    }

    private static Object invoke(Method m, Object on, Object... values) throws ReflectiveOperationException {
        m.setAccessible(true);
        try {
            return m.invoke(on, values);
        } catch (InvocationTargetException e) {
            // There is no such value.
            throw e.getCause() instanceof RunEnd ? (RunEnd) e.getCause() : new RunEnd("assume");
        }
    }

    /** How source writes a value. It is asked for before the program can change the value, and is no part of the run. */
    private String source(Object value) {
        boolean paused = RT.pause();
        try {
            return literals.value(value);
        } finally {
            RT.resume(paused);
        }
    }

    /** The call of another run. */
    void begin(AppLoader loader) {
        makers.begin(loader);
        asked = 0;
        answering = 0;
        given.begin();
        constants.clear();
        stubs.begin(loader);
        files.begin();
        mutators.begin();
    }

    /** Results of stubs that are being made, one within the other. */
    private int answering;

    /** Whether source makes the value inside of a method of a stub, which declares no exceptions. */
    boolean isAnswering() {
        return answering > 0;
    }

    /** The sources of arguments when the run is over, for what stubs returned is a part of them. What the program asked for itself cannot be between. */
    List<String> finished(List<String> sources, Ctx c) {
        boolean can = c.symbols() == asked || !stubs.haveAnswered();
        List<String> all = new ArrayList<>();
        for (String source : sources) all.add(stubs.finished(source, can));
        return all;
    }

    /** A string that is the same object as no other one of the call, nor of a program that could tell. */
    private String fresh(String text) {
        boolean paused = RT.pause();
        try {
            String source = literals.value(text);
            // A copy: a string keeps its hash code, which the program is to compute itself.
            boolean isAlone = constants.add(new String(text)) && !compares.getAsBoolean();
            return source == null || isAlone ? source : "new String(" + source + ")";
        } finally {
            RT.resume(paused);
        }
    }

    /** How many; no choice where there is none. */
    int size(String name, Sizes size, Ctx c) {
        Lengths.Length length = length(name, size, c);
        RT.settle(length, c);
        return length.value();
    }

    /**
     * A length of which nothing is decided yet. It is within the first bound, unless the first choice says that it is longer; then within the second
     * one, unless the next choice says so: no length is within two. The name of its input says where the bound begins (`jvm::lengths`).
     */
    private Lengths.Length length(String name, Sizes size, Ctx c) {
        int from = size.least;
        if (size.least == size.greatest) return new Lengths.Length(new int[0], from, from, 0, 0);
        int to = size.most;
        int[] longer = {};
        while (to < size.greatest) {
            int value = alternative(name + ".more" + (longer.length / 2 + 1), 2, c);
            // Before anything else of the library runs.
            int id = c.ret;
            longer = Arrays.copyOf(longer, longer.length + 2);
            longer[longer.length - 2] = id;
            longer[longer.length - 1] = value;
            if (value == 0) break;
            from = to + 1;
            to = Math.min(Math.max(to + 1, 2 * to), size.greatest);
        }
        int more = alternative(from == 0 ? name : name + "+" + from, to - from + 1, c);
        // Here, too: the first call below loads a class.
        int id = c.ret;
        return new Lengths.Length(longer, from, to, more, id);
    }

    /** One of so many alternatives; each is a path of its own. */
    int choice(String name, int n, Ctx c) {
        return choice(name, n, Wire.VALUE, c);
    }

    private int choice(String name, int n, int record, Ctx c) {
        int value = alternative(name, n, c);
        c.choose(record, c.ret, value);
        return value;
    }

    /** One of so many, which is no decision yet; its id is the context's result. */
    private int alternative(String name, int n, Ctx c) {
        asked++;
        int value = (int) RT.symbol(name, 'C', c);
        int id = c.ret;
        c.put(Wire.RANGE, id, 0, n - 1);
        if (value >= n) throw new RunEnd("assume");
        c.ret = id;
        return value;
    }
}
