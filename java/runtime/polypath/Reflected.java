package polypath;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

/** What woven code reads and writes by {@link Field}: the ids go the same way as the values, once the call has succeeded. */
public final class Reflected {
    private Reflected() {}

    /** Behind a read as this type: the context has the id. */
    public static void got(Field f, Object o, int as, int site, Ctx c) {
        int id = id(f, o, c);
        c.ret = id == 0 || kind(f) == kind(as) ? id : lost(site, c);
    }

    /** Behind a read that gives an object: a box with the id of what the field holds. */
    public static Object gotObject(Object value, Field f, Object o, Ctx c) {
        int id = id(f, o, c);
        if (id == 0) return value;
        try {
            Method twin = Members.method(value.getClass(), "valueOf", f.getType(), int.class, Ctx.class);
            return twin.invoke(null, value, id, c);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RunEnd) throw (RunEnd) e.getCause();
            throw new LinkageError("a box of " + f, e);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a box of " + f, e);
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

    /** The same of a box. */
    public static void putObject(Field f, Object o, Object value, int site, Ctx c) {
        if (!f.getType().isPrimitive() || value == null) return;
        put(f, o, c.live ? c.boxes.idOf(value) : 0, of(value), site, c);
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
