package polypath.driver;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Of which types there are values, and how those of the program's classes are made: as a caller of the entry point could make them, where there is such a way. */
final class Makers {
    /** Constructors within constructors, at most. */
    static final int DEEPEST = 3;
    /** Constructors that one class is made with, at most. */
    private static final int CONSTRUCTORS = 4;
    /** Classes that stand for one type, at most. */
    private static final int CLASSES = 4;

    /** How objects of a class are made. */
    static final class Ways {
        final List<Executable> all;
        /** Whether a caller of the entry point could do so. */
        final boolean isOpen;

        Ways(List<Executable> all, boolean isOpen) {
            this.all = all;
            this.isOpen = isOpen;
        }
    }

    private final Literals literals;
    private final Implementations implementations;
    /** Whether callers of the entry point are outside of its package: it is public, and so is its class. */
    private final boolean isOutside;
    /** By depth and class, of the classes of one loader. */
    private final Map<String, Ways> made = new HashMap<>();
    private ClassLoader loader;
    /** The one of the call. */
    private AppLoader program;

    Makers(Literals literals, Implementations implementations, boolean isOutside) {
        this.literals = literals;
        this.implementations = implementations;
        this.isOutside = isOutside;
    }

    /** The call of another run. */
    void begin(AppLoader loader) {
        program = loader;
    }

    /** Why no value of the type can be made; null if one can. */
    String refusal(Type t) {
        return refusal(t, 0);
    }

    String refusal(Type type, int depth) {
        Class<?> t = Types.raw(type);
        if (t.isPrimitive() || t == String.class || Types.BOXES.containsKey(t)) return null;
        if (t.isArray()) {
            if (t.getComponentType().isArray() && depth > 0) return "an array of arrays of arrays";
            return refusal(Types.elementOf(type), depth + 1);
        }
        if (Types.COLLECTIONS.containsKey(t)) {
            for (Type of : Types.arguments(type)) {
                String why = refusal(of, depth + 1);
                if (why != null) return why;
            }
            return Types.isOfEnum(t) && !Types.raw(Types.arguments(type)[0]).isEnum() ? "an " + t.getSimpleName() + " of no enum that is known" : null;
        }
        if (t == Optional.class) return refusal(Types.arguments(type)[0], depth + 1);
        if (isKnown(t)) return null;
        if (Library.kinds(t) != null || Library.maker(t) != null || Stubs.isFunction(t)) return null;
        if (!(t.getClassLoader() instanceof AppLoader) && !t.isEnum()) {
            return t.getTypeName() + " is a class of the library that no value can be made of, so far";
        }
        if (t.isEnum()) return hasConstants(t) ? null : t.getTypeName() + " has no constants";
        if (Types.isAbstract(t)) {
            boolean can = !concrete(t, depth).isEmpty() || !ways(t, depth).all.isEmpty();
            if (can) return null;
            String why = Stubs.refusal(t);
            if (why != null || t.isInterface()) return why;
            for (Constructor<?> k : t.getDeclaredConstructors()) if (!Modifier.isPrivate(k.getModifiers()) && canMakeAll(k, 0, depth)) return null;
            return t.getTypeName() + " has no constructor whose parameters can be input";
        }
        return ways(t, depth).all.isEmpty() ? t.getTypeName() + " has no constructor whose parameters can be input" : null;
    }

    /** Whether it is a type of the library that has a way of its own, whatever its arguments. */
    private static boolean isKnown(Class<?> t) {
        return Library.constants(t) != null || Library.held(t, null) != null || t == Class.class || NamedFiles.has(t);
    }

    /** Classes with objects that stand for an interface or an abstract class: those alone that a caller can make, if there are any. */
    List<Class<?>> concrete(Class<?> t, int depth) {
        List<Class<?>> open = new ArrayList<>();
        List<Class<?>> hidden = new ArrayList<>();
        for (String name : implementations.of(t)) {
            Class<?> c;
            try {
                c = Class.forName(name, false, loader(t));
            } catch (ClassNotFoundException | LinkageError e) {
                continue;
            }
            boolean can = c.isEnum() ? hasConstants(c) : !ways(c, depth).all.isEmpty();
            if (can) (isOpen(c, depth) ? open : hidden).add(c);
        }
        List<Class<?>> all = open.isEmpty() ? hidden : open;
        return all.size() > CLASSES ? all.subList(0, CLASSES) : all;
    }

    /** Of the program: that of the type, unless that is the library's. */
    private ClassLoader loader(Class<?> t) {
        return t.getClassLoader() instanceof AppLoader ? t.getClassLoader() : program;
    }

    /** Whether a caller of the entry point can have an object of this class that stands for a type. */
    boolean isOpen(Class<?> c, int depth) {
        return c.isEnum() ? canUse(c, Modifier.PUBLIC) : ways(c, depth).isOpen;
    }

    /** Whether a caller of the entry point may use what the class declares with these modifiers. */
    boolean canUse(Class<?> owner, int modifiers) {
        for (Class<?> c = owner; c != null; c = c.getEnclosingClass()) if (!canUseOf(c, c.getModifiers())) return false;
        return canUseOf(owner, modifiers);
    }

    private boolean canUseOf(Class<?> owner, int modifiers) {
        return isOutside ? Modifier.isPublic(modifiers) : literals.canUse(owner, modifiers);
    }

    /** Found without running anything of the program. */
    private static boolean hasConstants(Class<?> t) {
        for (java.lang.reflect.Field f : t.getDeclaredFields()) if (f.isEnumConstant()) return true;
        return false;
    }

    /**
     * Those that a caller of the entry point could use and whose parameters can be made, the shortest first: constructors; else static methods
     * whose result is such an object, of the class or of one within or around it; else a builder; else static methods of the class that promise less; else
     * methods of other objects.
     * Where there are none, constructors and static methods that are not private.
     */
    Ways ways(Class<?> t, int depth) {
        if (loader != t.getClassLoader()) {
            made.clear();
            loader = t.getClassLoader();
        }
        String key = depth + " " + t.getName();
        Ways known = made.get(key);
        if (known == null) {
            List<Executable> open = new ArrayList<>();
            if (!Types.isAbstract(t)) open = usable(t, List.of(t.getDeclaredConstructors()), depth, true);
            if (open.isEmpty()) open = usable(t, factories(t), depth, true);
            if (open.isEmpty()) open = usable(t, builders(t, depth), depth, true);
            if (open.isEmpty()) open = usable(t, promisingLess(t), depth, true);
            if (open.isEmpty()) open = usable(t, givers(t, depth), depth, true);
            boolean isOpen = !open.isEmpty();
            if (!isOpen && !Types.isAbstract(t)) {
                open = usable(t, List.of(t.getDeclaredConstructors()), depth, false);
                if (open.isEmpty()) open = usable(t, factories(t), depth, false);
            }
            known = new Ways(open, isOpen);
            made.put(key, known);
        }
        return known;
    }

    /** Static methods whose result is declared to be of the class: its own, and those of classes within and around it. */
    private static List<Executable> factories(Class<?> t) {
        List<Class<?>> owners = new ArrayList<>(List.of(t));
        owners.addAll(List.of(t.getDeclaredClasses()));
        if (t.getEnclosingClass() != null) owners.add(t.getEnclosingClass());
        List<Executable> all = new ArrayList<>();
        for (Class<?> owner : owners) {
            for (Method m : owner.getDeclaredMethods()) if (Modifier.isStatic(m.getModifiers()) && m.getReturnType() == t) all.add(m);
        }
        return all;
    }

    /** Methods without parameters, of a static class within this one, whose result is such an object. */
    private List<Executable> builders(Class<?> t, int depth) {
        List<Executable> all = new ArrayList<>();
        if (depth >= DEEPEST) return all;
        for (Class<?> owner : t.getDeclaredClasses()) {
            if (!Modifier.isStatic(owner.getModifiers()) || Types.isAbstract(owner)) continue;
            for (Method m : owner.getDeclaredMethods()) {
                boolean builds = !Modifier.isStatic(m.getModifiers()) && m.getReturnType() == t && m.getParameterCount() == 0;
                if (builds && ways(owner, depth + 1).isOpen) all.add(m);
            }
        }
        return all;
    }

    /** Methods of objects of other classes, which a caller can make, whose result is such an object. */
    private List<Executable> givers(Class<?> t, int depth) {
        List<Executable> all = new ArrayList<>();
        if (depth >= DEEPEST || !(t.getClassLoader() instanceof AppLoader)) return all;
        for (String name : implementations.givers(t)) {
            if (all.size() >= CONSTRUCTORS) break;
            Class<?> owner;
            try {
                owner = Class.forName(name, false, t.getClassLoader());
            } catch (ClassNotFoundException | LinkageError e) {
                continue;
            }
            if (!ways(owner, depth + 1).isOpen) continue;
            for (Method m : owner.getDeclaredMethods()) {
                if (!Modifier.isStatic(m.getModifiers()) && m.getReturnType() == t) all.add(m);
            }
        }
        return all;
    }

    /** Static methods of the class whose result is declared to be of a type of the program above it. */
    private static List<Executable> promisingLess(Class<?> t) {
        List<Executable> all = new ArrayList<>();
        for (Method m : t.getDeclaredMethods()) {
            Class<?> of = m.getReturnType();
            boolean isAbove = of != t && of.isAssignableFrom(t) && of.getClassLoader() instanceof AppLoader;
            if (isAbove && Modifier.isStatic(m.getModifiers())) all.add(m);
        }
        return all;
    }

    private List<Executable> usable(Class<?> t, List<Executable> of, int depth, boolean isOpen) {
        List<Executable> all = new ArrayList<>();
        for (Executable k : of) {
            // An inner class needs an object around it, and one inside of a method the method's variables.
            boolean isInner = k instanceof Constructor && t.getEnclosingClass() != null && !Modifier.isStatic(t.getModifiers());
            boolean isOurs = k.isSynthetic() || Modifier.isPrivate(k.getModifiers());
            if (isInner || isOurs) continue;
            if (isOpen && !canUse(k.getDeclaringClass(), k.getModifiers())) continue;
            if (canMakeAll(k, 0, depth)) all.add(k);
        }
        // What its author advises against is used where nothing else is there.
        boolean areAllOld = all.stream().allMatch(k -> k.isAnnotationPresent(Deprecated.class));
        if (!areAllOld) all.removeIf(k -> k.isAnnotationPresent(Deprecated.class));
        all.sort((a, b) -> a.getParameterCount() != b.getParameterCount() ? a.getParameterCount() - b.getParameterCount()
                : a.toString().compareTo(b.toString()));
        return all.size() > CONSTRUCTORS ? new ArrayList<>(all.subList(0, CONSTRUCTORS)) : all;
    }

    /** Whether there are values for all parameters but the first ones. */
    boolean canMakeAll(Executable k, int first, int depth) {
        if (k.getParameterCount() > first && depth >= DEEPEST) return false;
        Type[] types = k.getGenericParameterTypes();
        for (int p = first; p < types.length; p++) if (refusal(types[p], depth + 1) != null) return false;
        return true;
    }

    /** An enum that stands for any: one of the program that a caller can use, or else the library's. (`Enum` itself has no constants.) */
    Class<?> someEnum() {
        for (Class<?> c : concrete(Enum.class, 0)) if (canUse(c, c.getModifiers())) return c;
        return java.util.concurrent.TimeUnit.class;
    }
}
