package polypath;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleInfo;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.WrongMethodTypeException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;

/**
 * What woven code calls by {@link MethodHandle}. A handle that names a woven method leads to its twin, which is given the ids of the arguments, one
 * that names a field takes the field's id along. Any other one (bound, combined, of a method that is not woven) is called as it is, which is a loss.
 */
public final class Handles {
    private Handles() {}

    /** What was found for a call of a handle. */
    private static final class Found {
        final MethodHandle handle;
        final MethodType type;
        final boolean isLive;
        final MethodHandle target;
        final boolean isTwin;

        Found(MethodHandle handle, MethodType type, boolean isLive) throws Throwable {
            this.handle = handle;
            this.type = type;
            this.isLive = isLive;
            MethodHandle twin = isLive && fits(handle.type(), type) ? twin(handle) : null;
            isTwin = twin != null;
            target = isTwin ? twin.asType(woven(type)) : plain(handle.asType(type), woven(type));
        }

        boolean isOf(MethodHandle handle, MethodType type, boolean isLive) {
            return this.handle == handle && this.type == type && this.isLive == isLive;
        }
    }

    /** The last one: a call in a loop asks for one again and again. */
    private static Found last;

    /**
     * What is called in the place of a handle by a call of this type: it takes an id for each primitive argument, and the context, as a twin
     * does, and leaves the id of its result in the context.
     */
    public static MethodHandle target(MethodHandle h, MethodType type, int isExact, int site, Ctx c) throws Throwable {
        if (h == null) return null;
        if (isExact != 0 && !h.type().equals(type)) {
            throw new WrongMethodTypeException("expected " + h.type() + " but found " + type);
        }
        Found found = last;
        if (found == null || !found.isOf(h, type, c.live)) {
            boolean paused = RT.pause();
            try {
                last = found = new Found(h, type, c.live);
            } finally {
                RT.resume(paused);
            }
        }
        c.isForeignCall = !found.isTwin;
        if (!found.isTwin) RT.opaque(Wire.LOST_CALL, site, c);
        return found.target;
    }

    /** An argument of the call for which {@link #target} has just been asked: code that is not woven sees it. */
    public static void seen(Object o, int site, Ctx c) {
        if (c.isForeignCall) RT.escape(o, Wire.LOST_CALL, site, c);
    }

    /** Whether arguments and result pass without a conversion of primitives. */
    private static boolean fits(MethodType of, MethodType call) {
        if (of.parameterCount() != call.parameterCount()) return false;
        for (int k = 0; k < of.parameterCount(); k++) {
            if (!isSame(of.parameterType(k), call.parameterType(k))) return false;
        }
        return call.returnType() == void.class || isSame(of.returnType(), call.returnType());
    }

    private static boolean isSame(Class<?> a, Class<?> b) {
        return a == b || !a.isPrimitive() && !b.isPrimitive();
    }

    private static MethodType woven(MethodType type) {
        MethodType woven = type;
        for (Class<?> t : type.parameterArray()) if (t.isPrimitive()) woven = woven.appendParameterTypes(int.class);
        return woven.appendParameterTypes(Ctx.class);
    }

    /** The handle itself, for a call of this type. */
    private static MethodHandle plain(MethodHandle h, MethodType woven) throws ReflectiveOperationException {
        int n = h.type().parameterCount();
        h = MethodHandles.dropArguments(h, n, woven.parameterList().subList(n, woven.parameterCount()));
        Class<?> result = woven.returnType();
        if (!result.isPrimitive() || result == void.class) return h;
        MethodHandle clear = Trusted.LOOKUP.findStatic(Handles.class, "clear", MethodType.methodType(void.class));
        return MethodHandles.filterReturnValue(h, MethodHandles.foldArguments(MethodHandles.identity(result), clear));
    }

    static void clear() {
        RT.ctx().ret = 0;
    }

    static void got(Ctx c, int id) {
        c.ret = id;
    }

    /** Finds all members. */
    private static final class Trusted {
        static final MethodHandles.Lookup LOOKUP = lookup();

        private static MethodHandles.Lookup lookup() {
            try {
                Field f = MethodHandles.Lookup.class.getDeclaredField("IMPL_LOOKUP");
                f.setAccessible(true);
                return (MethodHandles.Lookup) f.get(null);
            } catch (ReflectiveOperationException e) {
                throw new LinkageError("a lookup of all members", e);
            }
        }
    }

    /** The same with ids; null if there is nothing like it. */
    private static MethodHandle twin(MethodHandle h) {
        MethodHandles.Lookup lookup = Trusted.LOOKUP;
        try {
            MethodHandleInfo info = lookup.revealDirect(h);
            Class<?> owner = info.getDeclaringClass();
            MethodType type = woven(info.getMethodType());
            switch (info.getReferenceKind()) {
                case MethodHandleInfo.REF_invokeStatic:
                    return lookup.findStatic(owner, info.getName(), type);
                case MethodHandleInfo.REF_invokeVirtual:
                case MethodHandleInfo.REF_invokeInterface:
                    return lookup.findVirtual(owner, info.getName(), type);
                case MethodHandleInfo.REF_invokeSpecial:
                    // Another one means the method of a class above, whatever the object's class.
                    return Modifier.isPrivate(info.getModifiers()) ? lookup.findSpecial(owner, info.getName(), type, owner) : null;
                case MethodHandleInfo.REF_newInvokeSpecial:
                    return lookup.findConstructor(owner, type);
                default:
                    return ofField(h, info.reflectAs(Field.class, lookup), lookup);
            }
        } catch (IllegalArgumentException | ReflectiveOperationException e) {
            return null;
        }
    }

    /** A read or write of a field, and of its id. */
    private static MethodHandle ofField(MethodHandle h, Field f, MethodHandles.Lookup lookup) throws ReflectiveOperationException {
        int n = h.type().parameterCount();
        if (!f.getType().isPrimitive()) return MethodHandles.dropArguments(h, n, Ctx.class);
        Field shadow = Members.shadow(f);
        if (shadow == null) return null;
        if (h.type().returnType() == void.class) {
            MethodHandle put = lookup.unreflectSetter(shadow);
            put = MethodHandles.dropArguments(put, n - 1, f.getType());
            return MethodHandles.foldArguments(MethodHandles.dropArguments(put, n + 1, Ctx.class), h);
        }
        MethodHandle get = lookup.unreflectGetter(shadow);
        MethodHandle got = lookup.findStatic(Handles.class, "got", MethodType.methodType(void.class, Ctx.class, int.class));
        got = MethodHandles.collectArguments(got, 1, get);
        MethodType order = h.type().changeReturnType(void.class).appendParameterTypes(Ctx.class);
        // The object, if any, comes before the context.
        got = n == 0 ? got : MethodHandles.permuteArguments(got, order, 1, 0);
        return MethodHandles.foldArguments(MethodHandles.dropArguments(h, n, Ctx.class), got);
    }
}
