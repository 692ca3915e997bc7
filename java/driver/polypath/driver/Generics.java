package polypath.driver;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.HashMap;
import java.util.Map;

/** What the type variables of a type, and of all types above it, stand for. */
final class Generics {
    /** Type variables that stand for others, one behind the other, at most. */
    private static final int DEEPEST = 8;

    private final Map<TypeVariable<?>, Type> bound = new HashMap<>();

    /** Of a type with its arguments. */
    Generics(Type t) {
        bind(t);
    }

    private void bind(Type t) {
        if (t == null) return;
        Class<?> c = Types.raw(t);
        if (t instanceof ParameterizedType) {
            Type[] arguments = ((ParameterizedType) t).getActualTypeArguments();
            for (int k = 0; k < arguments.length; k++) bound.put(c.getTypeParameters()[k], arguments[k]);
        }
        bind(c.getGenericSuperclass());
        for (Type above : c.getGenericInterfaces()) bind(above);
    }

    /** The type without the variables that are known, and without wildcards. */
    Type resolved(Type t) {
        return resolved(t, 0);
    }

    private Type resolved(Type t, int depth) {
        if (depth > DEEPEST) return Types.raw(t);
        if (t instanceof WildcardType) return resolved(((WildcardType) t).getUpperBounds()[0], depth + 1);
        if (t instanceof TypeVariable) {
            Type known = bound.get(t);
            return known == null || known == t ? Types.raw(t) : resolved(known, depth + 1);
        }
        if (t instanceof GenericArrayType) return Types.raw(resolved(((GenericArrayType) t).getGenericComponentType(), depth + 1)).arrayType();
        if (!(t instanceof ParameterizedType)) return t;
        Type[] arguments = ((ParameterizedType) t).getActualTypeArguments();
        for (int k = 0; k < arguments.length; k++) arguments[k] = resolved(arguments[k], depth + 1);
        return new Applied(Types.raw(t), arguments);
    }

    /** A class with arguments. */
    private static final class Applied implements ParameterizedType {
        private final Class<?> of;
        private final Type[] arguments;

        Applied(Class<?> of, Type[] arguments) {
            this.of = of;
            this.arguments = arguments;
        }

        @Override
        public Type[] getActualTypeArguments() {
            return arguments.clone();
        }

        @Override
        public Type getRawType() {
            return of;
        }

        @Override
        public Type getOwnerType() {
            return of.getDeclaringClass();
        }
    }
}
