package polypath;

import java.lang.reflect.Field;
import java.util.Map;

/**
 * What is another thing in each run: the order in which collections give their elements, which is that of a table by hash where a key has the hash code of its
 * identity (objects without an own one, enums, classes, threads), and that of {@code Set.of} and {@code Map.of}; texts with such a hash code; and names that the JVM makes.
 */
final class Orders {
    private Orders() {}

    /** Whether objects of a class have no hash code but that of their identity. */
    private static final ClassValue<Boolean> BY_IDENTITY = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            try {
                Class<?> owner = type.getMethod("hashCode").getDeclaringClass();
                return owner == Object.class || owner == Enum.class;
            } catch (NoSuchMethodException e) {
                throw new AssertionError(e);
            }
        }
    };

    private static final ClassValue<Boolean> SHOWN = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            try {
                return type.getMethod("toString").getDeclaringClass() == Object.class;
            } catch (NoSuchMethodException e) {
                throw new AssertionError(e);
            }
        }
    };

    /** Whether an object's text is that of Object, and its hash code as well. */
    static boolean isShownByIdentity(Object o) {
        return SHOWN.get(o.getClass()) && BY_IDENTITY.get(o.getClass());
    }

    /** Whether an object has no hash code but that of its identity. */
    static boolean isByIdentity(Object o) {
        return BY_IDENTITY.get(o.getClass());
    }

    /** Whether the JVM has made up the name of this class (of a lambda, a proxy; in our own way, of a stub) or numbered this thread. */
    static boolean isNamedAnew(Object o) {
        if (o instanceof Class) {
            Class<?> c = (Class<?>) o;
            while (c.isArray()) c = c.getComponentType();
            return c.isHidden() || c.getName().contains("$$Lambda") || c.getName().contains("$polypath") || java.lang.reflect.Proxy.isProxyClass(c);
        }
        if (!(o instanceof Thread)) return false;
        String name = ((Thread) o).getName();
        return !name.isEmpty() && Character.isDigit(name.charAt(name.length() - 1));
    }

    /** We look ourselves: one thread at a time runs woven code. */
    private static boolean looking;

    /** Whether another run gives the elements of this map, or of the view, iterator or set over one, in another order. */
    static boolean varies(Object walked) {
        if (looking) return false;
        looking = true;
        try {
            String name = walked.getClass().getName();
            if (name.startsWith("java.util.ImmutableCollections$")) return isSalted(walked);
            Map<?, ?> map = mapOf(walked);
            if (map == null || map.size() < 2 || map instanceof java.util.LinkedHashMap) return false;
            if (map instanceof java.util.IdentityHashMap) return true;
            for (Object key : map.keySet()) {
                if (key != null && BY_IDENTITY.get(key.getClass())) return true;
            }
            return false;
        } finally {
            looking = false;
        }
    }

    private static boolean isSalted(Object o) {
        return o instanceof java.util.Set ? ((java.util.Set<?>) o).size() > 1 : o instanceof Map && ((Map<?, ?>) o).size() > 1;
    }

    private static boolean isByHash(Object o) {
        return o instanceof java.util.HashMap || o instanceof java.util.Hashtable || o instanceof java.util.WeakHashMap
                || o instanceof java.util.IdentityHashMap || o instanceof java.util.concurrent.ConcurrentHashMap;
    }

    /** Where a view or a spliterator of the library keeps its map; of other classes nothing. */
    private static final ClassValue<java.util.Optional<Field>> MAP = new ClassValue<>() {
        @Override
        protected java.util.Optional<Field> computeValue(Class<?> type) {
            if (!type.getName().startsWith("java.util.")) return java.util.Optional.empty();
            for (Class<?> c = type; c != null; c = c.getSuperclass()) {
                for (String name : new String[] {"this$0", "map"}) {
                    try {
                        Field field = c.getDeclaredField(name);
                        if (!Map.class.isAssignableFrom(field.getType())) continue;
                        field.setAccessible(true);
                        return java.util.Optional.of(field);
                    } catch (NoSuchFieldException e) {
                        continue;
                    }
                }
            }
            return java.util.Optional.empty();
        }
    };

    /** The map itself, or the one that a view or a spliterator of the library is of. */
    private static Map<?, ?> mapOf(Object o) {
        if (isByHash(o)) return (Map<?, ?>) o;
        java.util.Optional<Field> field = MAP.get(o.getClass());
        if (field.isEmpty()) return null;
        try {
            Object map = field.get().get(o);
            return map != null && isByHash(map) ? (Map<?, ?>) map : null;
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }
}
