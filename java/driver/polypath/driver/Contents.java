package polypath.driver;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Results whose class compares them by what is in them, as source that makes an equal one: the JDK's lists, sets and maps, `Optional`, and records
 * whose constructor keeps what it is given and whose `equals` is that of the language. To look at them runs nothing of the program.
 */
final class Contents {
    private Contents() {}

    /** Elements of one object, at most. */
    private static final int MOST = 100;

    static boolean has(Class<?> c) {
        return isCollection(c) || c == Optional.class || c.isRecord() && isPlain(c);
    }

    /** Those of `java.util` that keep their elements themselves. */
    private static boolean isCollection(Class<?> c) {
        String name = c.getName();
        if (c.getClassLoader() != null || !name.startsWith("java.util.")) return false;
        boolean isOne = name.startsWith("java.util.ImmutableCollections$") || name.startsWith("java.util.Collections$Empty")
                || name.startsWith("java.util.Collections$Singleton") || name.equals("java.util.Arrays$ArrayList") || name.startsWith("java.util.RegularEnumSet");
        for (String plain : PLAIN) isOne |= name.equals("java.util." + plain);
        return isOne && (List.class.isAssignableFrom(c) || Set.class.isAssignableFrom(c) || Map.class.isAssignableFrom(c));
    }

    private static final String[] PLAIN = {"ArrayList", "LinkedList", "Vector", "HashSet", "LinkedHashSet", "TreeSet", "HashMap", "LinkedHashMap", "TreeMap", "EnumMap"};

    /** Null if something in it has no source. */
    static String source(Object v, Literals literals) {
        if (v instanceof Optional) {
            Optional<?> o = (Optional<?>) v;
            if (o.isEmpty()) return "java.util.Optional.empty()";
            String held = element(o.get(), literals);
            return held == null ? null : "java.util.Optional.of(" + held + ")";
        }
        if (v instanceof Map) return map((Map<?, ?>) v, literals);
        if (v instanceof Collection) return collection((Collection<?>) v, literals);
        return record(v, literals);
    }

    /** An array is equal to no other one: there is none in what is compared. */
    private static String element(Object v, Literals literals) {
        if (v == null) return "null";
        return v.getClass().isArray() ? null : literals.value(v);
    }

    private static String collection(Collection<?> v, Literals literals) {
        if (v.size() > MOST) return null;
        List<String> all = new ArrayList<>();
        for (Object e : v) {
            String one = element(e, literals);
            if (one == null) return null;
            all.add(one);
        }
        boolean isSet = v instanceof Set;
        // The order of a set is none.
        if (isSet) Collections.sort(all);
        String list = all.isEmpty() ? "java.util.List.of()" : "java.util.Arrays.asList(" + (all.size() == 1 ? "(Object) (" + all.get(0) + ")" : String.join(", ", all)) + ")";
        return isSet ? "new java.util.HashSet<>(" + list + ")" : list;
    }

    private static String map(Map<?, ?> v, Literals literals) {
        if (v.size() > MOST) return null;
        List<String> all = new ArrayList<>();
        for (Map.Entry<?, ?> e : v.entrySet()) {
            String key = element(e.getKey(), literals);
            String value = element(e.getValue(), literals);
            if (key == null || value == null) return null;
            all.add("put(" + key + ", " + value + "); ");
        }
        if (all.isEmpty()) return "java.util.Map.of()";
        Collections.sort(all);
        return "new java.util.HashMap<Object, Object>() {{ " + String.join("", all) + "}}";
    }

    private static String record(Object v, Literals literals) {
        if (!literals.canName(v.getClass())) return null;
        List<String> all = new ArrayList<>();
        List<Class<?>> types = new ArrayList<>();
        try {
            for (RecordComponent part : v.getClass().getRecordComponents()) {
                Field f = v.getClass().getDeclaredField(part.getName());
                f.setAccessible(true);
                String one = element(f.get(v), literals);
                if (one == null) return null;
                types.add(part.getType());
                all.add(one.equals("null") ? "(" + literals.name(part.getType()) + ") null" : one);
            }
            if (!literals.canUse(v.getClass(), v.getClass().getDeclaredConstructor(types.toArray(new Class<?>[0])).getModifiers())) return null;
        } catch (ReflectiveOperationException e) {
            return null;
        }
        return "new " + literals.name(v.getClass()) + (v.getClass().getTypeParameters().length > 0 ? "<>(" : "(") + String.join(", ", all) + ")";
    }

    /** Whether the author of a record has written neither its constructor nor how it is compared. */
    private static boolean isPlain(Class<?> c) {
        StringBuilder canonical = new StringBuilder("(");
        for (RecordComponent part : c.getRecordComponents()) canonical.append(part.getType().descriptorString());
        boolean[] found = {true, false};
        try (InputStream file = c.getClassLoader() == null ? null : c.getClassLoader().getResourceAsStream(c.getName().replace('.', '/') + ".class")) {
            if (file == null) return false;
            new ClassReader(file).accept(new ClassVisitor(Opcodes.ASM9) {
                @Override
                public MethodVisitor visitMethod(int access, String name, String descriptor, String generic, String[] thrown) {
                    boolean isConstructor = name.equals("<init>") && descriptor.equals(canonical + ")V");
                    boolean isEquals = name.equals("equals") && descriptor.equals("(Ljava/lang/Object;)Z");
                    return new MethodVisitor(Opcodes.ASM9) {
                        @Override
                        public void visitMethodInsn(int opcode, String owner, String method, String type, boolean isInterface) {
                            if (isConstructor && !owner.equals("java/lang/Record")) found[0] = false;
                        }

                        @Override
                        public void visitJumpInsn(int opcode, org.objectweb.asm.Label label) {
                            if (isConstructor) found[0] = false;
                        }

                        @Override
                        public void visitInsn(int opcode) {
                            // Nothing is computed, nor thrown.
                            if (isConstructor && opcode != Opcodes.RETURN) found[0] = false;
                        }

                        @Override
                        public void visitInvokeDynamicInsn(String method, String type, Handle how, Object... arguments) {
                            if (isEquals) found[1] = how.getOwner().equals("java/lang/runtime/ObjectMethods");
                        }
                    };
                }
            }, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
        return found[0] && found[1];
    }
}
