package polypath;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import jdk.internal.misc.Unsafe;

/**
 * What static fields lead to, as it was at one time: each object with the content of its fields. If none of these has changed, all that can be reached
 * from the static fields is as it was; if some have, they can be put back.
 *
 * Objects are followed whose state is in fields that woven code writes. Of others (threads, files, references that the collector of garbage knows)
 * nobody can tell here whether they have changed.
 */
final class Snapshot {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();
    /** The most bytes that are kept, about: to compare more takes longer than to load classes anew. */
    private static final long MOST = 1 << 21;

    /** Where the fields of a class lie. */
    private static final class Layout {
        final long[] references;
        /** Of the other ones, each with its size. */
        final long[] numbers;
        final int[] sizes;

        Layout(List<Field> fields) {
            int n = 0;
            for (Field f : fields) if (!f.getType().isPrimitive()) n++;
            references = new long[n];
            numbers = new long[fields.size() - n];
            sizes = new int[numbers.length];
            int r = 0;
            int p = 0;
            for (Field f : fields) {
                long at = Modifier.isStatic(f.getModifiers()) ? UNSAFE.staticFieldOffset(f) : UNSAFE.objectFieldOffset(f);
                if (!f.getType().isPrimitive()) {
                    references[r++] = at;
                } else {
                    numbers[p] = at;
                    sizes[p++] = size(f.getType());
                }
            }
        }
    }

    private static int size(Class<?> primitive) {
        if (primitive == long.class || primitive == double.class) return 8;
        if (primitive == int.class || primitive == float.class) return 4;
        return primitive == short.class || primitive == char.class ? 2 : 1;
    }

    /** That of the objects of a class; none if they cannot be followed. */
    private static final ClassValue<Layout[]> LAYOUTS = new ClassValue<>() {
        @Override
        protected Layout[] computeValue(Class<?> of) {
            List<Field> fields = new ArrayList<>();
            for (Class<?> k = of; k != Object.class; k = k.getSuperclass()) {
                if (k == null || !isFollowed(k)) return new Layout[0];
                for (Field f : Members.fields(k)) if (!Modifier.isStatic(f.getModifiers())) fields.add(f);
            }
            return new Layout[] {new Layout(fields)};
        }
    };

    /** How the names of classes begin that are not woven and have no state but in their fields. */
    private static final String[] PLAIN = {
        "java.util.concurrent.atomic.", "java.util.concurrent.locks.", "java.awt.geom.", "java.awt.Dimension", "java.awt.Point", "java.awt.Rectangle",
        "java.awt.Insets",
    };

    /** Whether all state that the class adds to objects is in its fields. */
    private static boolean isFollowed(Class<?> k) {
        String name = k.getName();
        // These are not woven, but they have no other state.
        for (String plain : PLAIN) if (name.startsWith(plain)) return true;
        return Members.isWoven(k);
    }

    /** Classes of other modules whose objects never change, or only in what nobody sees. */
    private static final Set<String> CONSTANT = Set.of("java.awt.Color", "java.awt.Font", "java.awt.BasicStroke", "java.awt.Cursor");

    /** Whether objects of this class never change, or only in what nobody sees. */
    private static boolean isConstant(Class<?> k) {
        return k == String.class || k == Class.class || k == Object.class || k == Integer.class || k == Long.class || k == Character.class
                || k == Boolean.class || k == Byte.class || k == Short.class || k == Float.class || k == Double.class
                // What was printed is taken from it when a run is over.
                || k == Locale.class || k == Output.class || CONSTANT.contains(k.getName());
    }

    /** An object as it was. */
    private static final class Kept {
        final Object object;
        /** Null for an array. */
        final Layout layout;
        final Object[] references;
        final long[] numbers;

        Kept(Object object, Layout layout, boolean isSet) {
            this.object = object;
            this.layout = layout;
            references = new Object[layout.references.length];
            numbers = new long[layout.numbers.length];
            if (!isSet) return;
            for (int k = 0; k < references.length; k++) references[k] = UNSAFE.getReference(object, layout.references[k]);
            for (int k = 0; k < numbers.length; k++) numbers[k] = number(object, layout.numbers[k], layout.sizes[k]);
        }

        Kept(Object[] array) {
            object = array;
            layout = null;
            references = new Object[array.length];
            for (int k = 0; k < references.length; k++) references[k] = array[k];
            numbers = null;
        }

        /** Of an array of primitives: its bytes, eight in a number. */
        Kept(Object array, long bytes) {
            object = array;
            layout = null;
            references = null;
            numbers = new long[(int) (bytes >>> 3) + (int) (bytes & 7)];
            int full = (int) (bytes >>> 3);
            long at = base(array);
            for (int k = 0; k < full; k++, at += 8) numbers[k] = UNSAFE.getLong(array, at);
            for (int k = full; k < numbers.length; k++, at++) numbers[k] = UNSAFE.getByte(array, at);
        }

        /** Whether the object is as it was. If it is to be so (`back`), it is afterwards. */
        boolean isSame(boolean back) {
            if (layout != null) return areFieldsSame(back);
            return references != null ? areElementsSame((Object[]) object, back) : areBytesSame(back);
        }

        private boolean areFieldsSame(boolean back) {
            boolean same = true;
            for (int k = 0; k < references.length; k++) {
                if (UNSAFE.getReference(object, layout.references[k]) == references[k]) continue;
                if (!back) return false;
                same = false;
                UNSAFE.putReference(object, layout.references[k], references[k]);
            }
            for (int k = 0; k < numbers.length; k++) {
                if (number(object, layout.numbers[k], layout.sizes[k]) == numbers[k]) continue;
                if (!back) return false;
                same = false;
                put(object, layout.numbers[k], layout.sizes[k], numbers[k]);
            }
            return same;
        }

        private boolean areElementsSame(Object[] array, boolean back) {
            boolean same = true;
            for (int k = 0; k < references.length; k++) {
                if (array[k] == references[k]) continue;
                if (!back) return false;
                same = false;
                array[k] = references[k];
            }
            return same;
        }

        private boolean areBytesSame(boolean back) {
            boolean same = true;
            long at = base(object);
            long bytes = (long) Shadows.length(object) * UNSAFE.arrayIndexScale(object.getClass());
            int full = (int) (bytes >>> 3);
            for (int k = 0; k < full; k++, at += 8) {
                if (UNSAFE.getLong(object, at) == numbers[k]) continue;
                if (!back) return false;
                same = false;
                UNSAFE.putLong(object, at, numbers[k]);
            }
            for (int k = full; k < numbers.length; k++, at++) {
                if (UNSAFE.getByte(object, at) == numbers[k]) continue;
                if (!back) return false;
                same = false;
                UNSAFE.putByte(object, at, (byte) numbers[k]);
            }
            return same;
        }
    }

    private static long base(Object array) {
        return UNSAFE.arrayBaseOffset(array.getClass());
    }

    private static long number(Object object, long at, int size) {
        switch (size) {
            case 8: return UNSAFE.getLong(object, at);
            case 4: return UNSAFE.getInt(object, at);
            case 2: return UNSAFE.getShort(object, at);
            default: return UNSAFE.getByte(object, at);
        }
    }

    private static void put(Object object, long at, int size, long value) {
        switch (size) {
            case 8: UNSAFE.putLong(object, at, value); break;
            case 4: UNSAFE.putInt(object, at, (int) value); break;
            case 2: UNSAFE.putShort(object, at, (short) value); break;
            default: UNSAFE.putByte(object, at, (byte) value);
        }
    }

    private final Map<Object, Boolean> known = new IdentityHashMap<>();
    private Kept[] all = new Kept[16];
    private int count;
    private long bytes;

    /** Adds what the static fields of a class lead to. False if not all of that can be followed: then the snapshot is of no use. */
    boolean add(Class<?> of) {
        List<Field> statics = new ArrayList<>();
        for (Field f : Members.fields(of)) if (Modifier.isStatic(f.getModifiers())) statics.add(f);
        if (statics.isEmpty()) return true;
        int next = count;
        keep(new Kept(UNSAFE.staticFieldBase(statics.get(0)), new Layout(statics), true));
        for (; next < count; next++) {
            Object[] references = all[next].references;
            if (references == null) continue;
            for (Object o : references) if (o != null && known.put(o, true) == null && !follow(o)) return false;
        }
        return bytes <= MOST;
    }

    /** Adds the static fields of a class without a start: none of them is set. False if it has not begun. */
    boolean addUnset(Class<?> of) {
        if (UNSAFE.shouldBeInitialized(of)) return false;
        List<Field> statics = new ArrayList<>();
        // (Those that are final are constants.)
        for (Field f : Members.fields(of)) if (Modifier.isStatic(f.getModifiers()) && !Modifier.isFinal(f.getModifiers())) statics.add(f);
        if (!statics.isEmpty()) keep(new Kept(UNSAFE.staticFieldBase(statics.get(0)), new Layout(statics), false));
        return true;
    }

    private boolean follow(Object o) {
        Class<?> k = o.getClass();
        if (isConstant(k)) return true;
        if (k.isArray()) {
            long size = (long) Shadows.length(o) * UNSAFE.arrayIndexScale(k);
            if (bytes + size > MOST) return false;
            keep(o instanceof Object[] ? new Kept((Object[]) o) : new Kept(o, size));
            bytes += size;
            return true;
        }
        Layout[] layout = LAYOUTS.get(k);
        if (layout.length == 0) return false;
        keep(new Kept(o, layout[0], true));
        return bytes <= MOST;
    }

    private void keep(Kept one) {
        if (count == all.length) {
            Kept[] more = new Kept[2 * count];
            System.arraycopy(all, 0, more, 0, count);
            all = more;
        }
        all[count++] = one;
        bytes += 64;
    }

    /** Whether everything is as it was. */
    boolean isSame() {
        for (int k = 0; k < count; k++) if (!all[k].isSame(false)) return false;
        return true;
    }

    /** Makes everything as it was. */
    void putBack() {
        for (int k = 0; k < count; k++) all[k].isSame(true);
    }
}
