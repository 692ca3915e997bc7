package polypath;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import jdk.internal.reflect.Reflection;

/**
 * What woven code reads and writes by {@link Field} and {@link java.lang.reflect.Array}: the ids go the same way as the values, once the call has succeeded. And what it calls by
 * {@link Method} and {@link Constructor}: the twin, which is given the ids of the boxes among the arguments.
 */
public final class Reflected {
    private Reflected() {}

    /** Behind a read as this type: the context has the id. */
    public static void got(Field f, Object o, int as, int site, Ctx c) {
        int id = id(f, o, c);
        c.ret = id == 0 || kind(f) == kind(as) ? id : lost(site, c);
    }

    /** Behind a read that gives an object: a box with the id of what the field holds. */
    public static Object gotObject(Object value, Field f, Object o, Ctx c) {
        return boxed(value, f.getType(), id(f, o, c), c);
    }

    /** A box of this value that has this id. */
    static Object boxed(Object value, Class<?> type, int id, Ctx c) {
        if (id == 0 || type == boolean.class) return value;
        try {
            Method twin = Members.method(value.getClass(), value.getClass(), "valueOf", type, int.class, Ctx.class);
            return twin.invoke(null, value, id, c);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RunEnd) throw (RunEnd) e.getCause();
            throw new LinkageError("a box of a value", e);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a box of a value", e);
        }
    }

    /** Behind a write of a value of this type with this id. */
    public static void put(Field f, Object o, int id, int as, int site, Ctx c) {
        if (!f.getType().isPrimitive()) return;
        Field shadow = Members.shadow(f);
        if (id != 0 && c.live && (shadow == null || kind(f) != kind(as))) id = lost(site, c);
        if (shadow == null) return;
        try {
            shadow.setInt(owner(f, o), id);
        } catch (IllegalAccessException e) {
            throw new LinkageError(f.toString(), e);
        }
    }

    /** What is given to a write in the place of this box: the library takes the value out, and is to find no id there. */
    public static Object plain(Field f, Object value, Ctx c) {
        return c.live && f != null && f.getType().isPrimitive() ? c.boxes.plain(value) : value;
    }

    /** Behind a write of a box. */
    public static void putObject(Field f, Object o, Object value, int site, Ctx c) {
        if (!f.getType().isPrimitive() || value == null) return;
        put(f, o, c.live ? c.boxes.idOf(value) : 0, of(value), site, c);
    }

    // ------------------------------------------------------------------ elements of arrays

    /** Before a read by {@link java.lang.reflect.Array} as this type: the id of an element at an index with an id. */
    public static int element(Object array, int i, int s, int as, int site, Ctx c) {
        RT.settle(array, c);
        if (!isOfPrimitives(array)) return s == 0 || !c.live ? 0 : lost(site, c);
        int id = s == 0 && !c.shadows.any ? 0 : RT.slowLoad(array, i, s, site, c);
        return id == 0 || as == 'L' || kind(as) == kind(Shadows.kind(array)) ? id : lost(site, c);
    }

    /** Behind a read as a primitive: the context has the id. */
    public static void got(int id, Ctx c) {
        c.ret = id;
    }

    /** Behind a read that gives an object: a box with the id of the element. */
    public static Object gotElement(Object value, Object array, int id, Ctx c) {
        return boxed(value, array.getClass().getComponentType(), id, c);
    }

    /** Before a write at an index with an id: whether it is inside is decided there. */
    public static void reach(Object array, int i, int s, int site, Ctx c) {
        RT.settle(array, c);
        if (s != 0 && c.live && isOfPrimitives(array)) RT.inside(Shadows.length(array), i, s, site, c);
    }

    /** Behind a write of a value of this type with this id. */
    public static void putElement(Object array, int i, int s, int id, int as, int site, Ctx c) {
        if (id != 0 && c.live && kind(as) != kind(Shadows.kind(array))) id = lost(site, c);
        RT.store(array, i, Shadows.value(array, i), s, id, site, c);
    }

    /** The same of a box, or of what else there is in an array of objects. */
    public static void putBox(Object array, int i, int s, Object value, int site, Ctx c) {
        if (isOfPrimitives(array)) putElement(array, i, s, c.live ? c.boxes.idOf(value) : 0, of(value), site, c);
        else if (s != 0 && c.live) lost(site, c);
    }

    private static boolean isOfPrimitives(Object array) {
        Class<?> type = array == null ? null : array.getClass().getComponentType();
        return type != null && type.isPrimitive();
    }

    // ------------------------------------------------------------------ calls

    /** What is called in the place of this method by a class: its twin, unless it has none or the call does not come to it. */
    public static Method target(Method m, Object o, Object[] arguments, Class<?> caller, Ctx c) {
        if (m == null || !fits(m, arguments, c)) return m;
        Class<?> of = Modifier.isStatic(m.getModifiers()) || o == null ? null : o.getClass();
        if (!mayCall(m, of, caller)) return m;
        try {
            Method twin = Members.method(m.getDeclaringClass(), m.getReturnType(), m.getName(), twin(m));
            twin.setAccessible(true);
            return twin;
        } catch (NoSuchMethodException e) {
            return m;
        }
    }

    /** The same of a constructor. */
    public static Constructor<?> target(Constructor<?> k, Object[] arguments, Class<?> caller, Ctx c) {
        if (k == null || !fits(k, arguments, c) || !mayCall(k, k.getDeclaringClass(), caller)) return k;
        try {
            Constructor<?> twin = Members.constructor(k.getDeclaringClass(), twin(k));
            twin.setAccessible(true);
            return twin;
        } catch (NoSuchMethodException e) {
            return k;
        }
    }

    /** The arguments of what is called in the place of a method or constructor. */
    public static Object[] arguments(Executable e, Executable target, Object[] arguments, int site, Ctx c) {
        if (e == target) {
            RT.unboxed(arguments, site, c);
            return arguments;
        }
        Object[] all = new Object[target.getParameterCount()];
        int n = 0;
        for (Class<?> ignored : e.getParameterTypes()) {
            all[n] = arguments[n];
            n++;
        }
        int given = n;
        for (int k = 0; k < given; k++) if (e.getParameterTypes()[k].isPrimitive()) all[n++] = c.boxes.idOf(arguments[k]);
        all[n] = c;
        return all;
    }

    /** The result of a call: a box with the id of what the twin has returned. */
    public static Object result(Object value, Method m, Method target, Ctx c) {
        if (m == target || !m.getReturnType().isPrimitive() || value == null) return value;
        int id = c.ret;
        return boxed(value, m.getReturnType(), id, c);
    }

    /** Whether there are as many arguments as parameters, and each primitive gets a box of its own type. */
    private static boolean fits(Executable e, Object[] arguments, Ctx c) {
        Class<?>[] types = e.getParameterTypes();
        if (!c.live || (arguments == null ? 0 : arguments.length) != types.length) return false;
        for (int k = 0; k < types.length; k++) {
            if (types[k].isPrimitive() && (arguments[k] == null || arguments[k].getClass() != box(types[k]))) return false;
        }
        return true;
    }

    private static boolean mayCall(Executable e, Class<?> of, Class<?> caller) {
        return isOpen(e) || Reflection.verifyMemberAccess(caller, e.getDeclaringClass(), of, e.getModifiers());
    }

    @SuppressWarnings("deprecation")
    private static boolean isOpen(Executable e) {
        return e.isAccessible();
    }

    private static Class<?>[] twin(Executable e) {
        Class<?>[] types = e.getParameterTypes();
        int n = types.length;
        for (Class<?> t : e.getParameterTypes()) if (t.isPrimitive()) n++;
        Class<?>[] all = new Class<?>[n + 1];
        System.arraycopy(types, 0, all, 0, types.length);
        java.util.Arrays.fill(all, types.length, n, int.class);
        all[n] = Ctx.class;
        return all;
    }

    private static Class<?> box(Class<?> primitive) {
        return sun.invoke.util.Wrapper.forPrimitiveType(primitive).wrapperType();
    }

    private static int id(Field f, Object o, Ctx c) {
        if (!c.live || !f.getType().isPrimitive()) return 0;
        Field shadow = Members.shadow(f);
        // Of some boxes the ids are kept by object; what else has no shadow has no ids.
        if (shadow == null) return o == null || o.getClass() != f.getDeclaringClass() ? 0 : c.boxes.idOf(o);
        try {
            return shadow.getInt(owner(f, o));
        } catch (IllegalAccessException e) {
            throw new LinkageError(f.toString(), e);
        }
    }

    private static Object owner(Field f, Object o) {
        return Modifier.isStatic(f.getModifiers()) ? null : o;
    }

    private static int lost(int site, Ctx c) {
        c.lose(Wire.LOST_CALL, site);
        return 0;
    }

    /** What terms of a type are like: those of all up to int are. */
    private static int kind(Field f) {
        Class<?> t = f.getType();
        return t == long.class ? 'J' : t == float.class ? 'F' : t == double.class ? 'D' : 'I';
    }

    private static int kind(int type) {
        return type == 'J' || type == 'F' || type == 'D' ? type : 'I';
    }

    private static int of(Object box) {
        return box instanceof Long ? 'J' : box instanceof Float ? 'F' : box instanceof Double ? 'D' : 'I';
    }
}
