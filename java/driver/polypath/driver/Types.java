package polypath.driver;

import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** What is known of a type without a program: boxes, the JDK's collections, what is in an array or a collection. */
final class Types {
    private Types() {}

    /** Which class stands for an interface of the library. */
    static final Map<Class<?>, Class<?>> COLLECTIONS = new HashMap<>();

    static {
        for (Class<?> t : new Class<?>[] {Iterable.class, Collection.class, List.class, ArrayList.class}) COLLECTIONS.put(t, ArrayList.class);
        COLLECTIONS.put(Set.class, LinkedHashSet.class);
        COLLECTIONS.put(HashSet.class, HashSet.class);
        COLLECTIONS.put(Queue.class, ArrayDeque.class);
        COLLECTIONS.put(Deque.class, ArrayDeque.class);
        COLLECTIONS.put(Map.class, LinkedHashMap.class);
        COLLECTIONS.put(HashMap.class, HashMap.class);
        COLLECTIONS.put(Iterator.class, ArrayList.class);
        COLLECTIONS.put(SortedSet.class, TreeSet.class);
        COLLECTIONS.put(SortedMap.class, TreeMap.class);
        Class<?>[] themselves = {LinkedList.class, LinkedHashSet.class, TreeSet.class, ArrayDeque.class, LinkedHashMap.class, TreeMap.class, EnumSet.class, EnumMap.class};
        for (Class<?> t : themselves) COLLECTIONS.put(t, t);
    }

    /** Collections over the constants of an enum, which they are made for. */
    static boolean isOfEnum(Class<?> t) {
        return t == EnumSet.class || t == EnumMap.class;
    }

    /** Boxes and what they hold. */
    static final Map<Class<?>, Class<?>> BOXES = Map.of(Boolean.class, boolean.class, Byte.class, byte.class,
            Short.class, short.class, Character.class, char.class, Integer.class, int.class, Long.class, long.class,
            Float.class, float.class, Double.class, double.class);

    /** The class of a type. */
    static Class<?> raw(Type t) {
        if (t instanceof Class) return (Class<?>) t;
        if (t instanceof ParameterizedType) return (Class<?>) ((ParameterizedType) t).getRawType();
        if (t instanceof java.lang.reflect.GenericArrayType) {
            return raw(((java.lang.reflect.GenericArrayType) t).getGenericComponentType()).arrayType();
        }
        if (t instanceof java.lang.reflect.WildcardType) return raw(((java.lang.reflect.WildcardType) t).getUpperBounds()[0]);
        return raw(((java.lang.reflect.TypeVariable<?>) t).getBounds()[0]);
    }

    /** Of an array. */
    static Type elementOf(Type t) {
        if (t instanceof java.lang.reflect.GenericArrayType) return ((java.lang.reflect.GenericArrayType) t).getGenericComponentType();
        return raw(t).getComponentType();
    }

    /** Types of a collection's elements, or of a map's keys and values: strings where the program does not say. */
    static Type[] arguments(Type t) {
        boolean isMap = Map.class.isAssignableFrom(raw(t));
        Type[] all = t instanceof ParameterizedType ? ((ParameterizedType) t).getActualTypeArguments().clone() : new Type[isMap ? 2 : 1];
        for (int k = 0; k < all.length; k++) if (all[k] == null || raw(all[k]) == Object.class) all[k] = String.class;
        return all;
    }

    static boolean isAbstract(Class<?> t) {
        return Modifier.isAbstract(t.getModifiers());
    }

    /** The class of boxes of a primitive type. */
    static Class<?> boxOf(Class<?> primitive) {
        for (Map.Entry<Class<?>, Class<?>> e : BOXES.entrySet()) if (e.getValue() == primitive) return e.getKey();
        throw new IllegalArgumentException(primitive.getName());
    }

    /** 0, false or null. */
    static Object zero(Class<?> t) {
        return t.isPrimitive() ? primitive(t, 0) : null;
    }

    /** The letter by which class files know a type. */
    static char kind(Class<?> t) {
        return t.descriptorString().charAt(0);
    }

    /** A primitive of these bits, in a box. */
    static Object primitive(Class<?> t, long bits) {
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
