package polypath.driver;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import polypath.Ctx;
import polypath.RT;
import polypath.RunEnd;
import polypath.Wire;
import polypath.weave.World;

/**
 * Stubs: objects of interfaces and abstract classes that no class of the program stands for, and of the library's functional interfaces. A stub has
 * a class that is made at run time, and what its methods return is input, made when they are called. In source it is a lambda or
 * an anonymous class, which is written when the run is over, since only then is it known what was asked.
 */
final class Stubs {
    /** Results of one method of a stub that are input; those of later calls are 0, false or null, so that loops over them end. */
    private static final int ANSWERS = 3;
    /**
     * How the name of a choice ends that is made when a method of a stub is called, behind the name of its type: an error of such a run may need an
     * implementation that nobody writes (`run::contract`). Of the library's functional interfaces users write any.
     */
    private static final String MARK = ".stub";
    /** Around the number of a stub in source that is not finished. */
    private static final char OPEN = '\u0001';
    private static final char CLOSE = '\u0002';
    /** The field of a stub that has its results: it is called with the number of the method. */
    private static final String FIELD = "polypath$answers";

    private final Inputs inputs;
    private final Literals literals;
    /** Those of the run. */
    private final List<Stub> all = new ArrayList<>();
    private AppLoader loader;
    /** Names that the run's source has given to parameters. */
    private int parameters;

    Stubs(Inputs inputs, Literals literals) {
        this.inputs = inputs;
        this.literals = literals;
    }

    /** The call of another run, with classes of this loader. */
    void begin(AppLoader now) {
        all.clear();
        loader = now;
        parameters = 0;
    }

    // ------------------------------------------------------------------ which types

    /** Whether it is an interface of the library with a single method to be written. */
    static boolean isFunction(Class<?> t) {
        if (!t.isInterface() || t.isSealed() || !Modifier.isPublic(t.getModifiers()) || t.getClassLoader() instanceof AppLoader) return false;
        return t.getModule().isExported(t.getPackageName()) && slots(t, t).size() == 1;
    }

    /** Why there is no stub of an interface or abstract class of the program; null if there is one. */
    static String refusal(Class<?> t) {
        String no = "no class of the program that stands for " + t.getTypeName() + " can be made";
        boolean isInner = t.getEnclosingClass() != null && !t.isInterface() && !Modifier.isStatic(t.getModifiers());
        if (t.isSealed() || t.isAnnotation() || isInner) return no;
        try {
            slots(t, t);
        } catch (LinkageError | TypeNotPresentException e) {
            return no + ": " + e;
        }
        return null;
    }

    /** A method that a stub has. */
    private static final class Slot {
        final String name;
        /** As source has them. */
        final Class<?>[] parameters;
        Class<?> result;
        /** What is returned. */
        Type value;
        /** Whether it has type parameters of its own: no lambda has. */
        boolean isGeneric;
        /** One for each type under which it is called. */
        final List<Method> forms = new ArrayList<>();

        Slot(String name, Class<?>[] parameters) {
            this.name = name;
            this.parameters = parameters;
        }
    }

    /** The methods that a class of this type has to write; `actual`: the type with its arguments. */
    private static List<Slot> slots(Class<?> t, Type actual) {
        Generics types = new Generics(actual);
        boolean isRaw = t.getTypeParameters().length > 0;
        Map<String, Slot> all = new LinkedHashMap<>();
        Method[] abstracts = abstracts(t).toArray(new Method[0]);
        Arrays.sort(abstracts, (a, b) -> (a.getName() + org.objectweb.asm.Type.getMethodDescriptor(a)).compareTo(b.getName() + org.objectweb.asm.Type.getMethodDescriptor(b)));
        for (Method m : abstracts) {
            Class<?>[] parameters = m.getParameterTypes().clone();
            Type[] generic = m.getGenericParameterTypes();
            for (int k = 0; k < parameters.length && !isRaw && generic.length == parameters.length; k++) parameters[k] = Types.raw(types.resolved(generic[k]));
            Class<?> result = isRaw ? m.getReturnType() : Types.raw(types.resolved(m.getGenericReturnType()));
            Slot s = all.computeIfAbsent(m.getName() + Arrays.toString(parameters), k -> new Slot(m.getName(), parameters));
            s.forms.add(m);
            s.isGeneric |= m.getTypeParameters().length > 0;
            if (s.result == null || s.result.isAssignableFrom(result)) {
                s.result = result;
                s.value = types.resolved(m.getGenericReturnType());
            }
        }
        return new ArrayList<>(all.values());
    }

    private static List<Method> abstracts(Class<?> t) {
        List<Method> found = new ArrayList<>();
        // Methods of the class itself, whatever may be above.
        Set<String> known = new HashSet<>();
        for (Class<?> k = t; k != null && k != Object.class; k = k.getSuperclass()) {
            for (Method m : k.getDeclaredMethods()) {
                if (Modifier.isStatic(m.getModifiers()) || Modifier.isPrivate(m.getModifiers())) continue;
                String member = m.getName() + Arrays.toString(m.getParameterTypes());
                boolean isAbstract = Modifier.isAbstract(m.getModifiers());
                boolean isFirst = !known.contains(member) && known.add(isAbstract ? member + m.getReturnType() : member);
                if (isFirst && isAbstract && !isOfObject(t, m)) found.add(m);
            }
        }
        for (Method m : t.getMethods()) if (Modifier.isAbstract(m.getModifiers()) && !found.contains(m) && !isOfObject(t, m)) found.add(m);
        return found;
    }

    /** Whether each class has the method from Object. */
    private static boolean isOfObject(Class<?> t, Method m) {
        if (!m.getDeclaringClass().isInterface()) return false;
        try {
            return Modifier.isPublic(Object.class.getMethod(m.getName(), m.getParameterTypes()).getModifiers());
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    // ------------------------------------------------------------------ the class

    private final Map<String, Class<?>> classes = new HashMap<>();
    private ClassLoader loaded;

    /** The class of stubs of this type. */
    private Class<?> of(Class<?> t, List<Slot> slots) throws ClassNotFoundException {
        boolean paused = RT.pause();
        try {
            if (loaded != loader) classes.clear();
            loaded = loader;
            Class<?> known = classes.get(t.getName());
            if (known != null) return known;
            Class<?> made = loader.made(file(t, slots));
            classes.put(t.getName(), made);
            return made;
        } finally {
            RT.resume(paused);
        }
    }

    private static byte[] file(Class<?> t, List<Slot> slots) {
        String type = org.objectweb.asm.Type.getInternalName(t);
        // Classes of the program see what is not public in their package.
        String name = (t.getClassLoader() instanceof AppLoader ? type : type.replace('/', '_')) + World.MADE;
        String above = t.isInterface() ? "java/lang/Object" : type;
        ClassWriter w = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        w.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER | Opcodes.ACC_SYNTHETIC, name, null, above, t.isInterface() ? new String[] {type} : null);
        String field = org.objectweb.asm.Type.getDescriptor(IntFunction.class);
        w.visitField(Opcodes.ACC_PUBLIC | Opcodes.ACC_SYNTHETIC, FIELD, field, null, null);
        for (Constructor<?> k : (t.isInterface() ? Object.class : t).getDeclaredConstructors()) {
            if (Modifier.isPrivate(k.getModifiers()) || k.isSynthetic()) continue;
            String desc = org.objectweb.asm.Type.getConstructorDescriptor(k);
            MethodVisitor m = w.visitMethod(Opcodes.ACC_PUBLIC, "<init>", "(" + field + desc.substring(1), null, null);
            m.visitCode();
            // The constructor above may call what is written here.
            m.visitVarInsn(Opcodes.ALOAD, 0);
            m.visitVarInsn(Opcodes.ALOAD, 1);
            m.visitFieldInsn(Opcodes.PUTFIELD, name, FIELD, field);
            m.visitVarInsn(Opcodes.ALOAD, 0);
            int at = 2;
            for (org.objectweb.asm.Type p : org.objectweb.asm.Type.getArgumentTypes(desc)) {
                m.visitVarInsn(p.getOpcode(Opcodes.ILOAD), at);
                at += p.getSize();
            }
            m.visitMethodInsn(Opcodes.INVOKESPECIAL, above, "<init>", desc, false);
            m.visitInsn(Opcodes.RETURN);
            m.visitMaxs(0, 0);
            m.visitEnd();
        }
        for (int k = 0; k < slots.size(); k++) for (Method form : slots.get(k).forms) method(w, name, form, k);
        w.visitEnd();
        return w.toByteArray();
    }

    private static void method(ClassWriter w, String owner, Method form, int number) {
        MethodVisitor m = w.visitMethod(Opcodes.ACC_PUBLIC, form.getName(), org.objectweb.asm.Type.getMethodDescriptor(form), null, null);
        m.visitCode();
        m.visitVarInsn(Opcodes.ALOAD, 0);
        m.visitFieldInsn(Opcodes.GETFIELD, owner, FIELD, org.objectweb.asm.Type.getDescriptor(IntFunction.class));
        m.visitLdcInsn(number);
        m.visitMethodInsn(Opcodes.INVOKEINTERFACE, org.objectweb.asm.Type.getInternalName(IntFunction.class), "apply", "(I)Ljava/lang/Object;", true);
        Class<?> result = form.getReturnType();
        org.objectweb.asm.Type type = org.objectweb.asm.Type.getType(result);
        if (result == void.class) {
            m.visitInsn(Opcodes.POP);
        } else if (result.isPrimitive()) {
            String box = org.objectweb.asm.Type.getInternalName(Types.boxOf(result));
            m.visitTypeInsn(Opcodes.CHECKCAST, box);
            m.visitMethodInsn(Opcodes.INVOKEVIRTUAL, box, result.getName() + "Value", "()" + type.getDescriptor(), false);
        } else {
            m.visitTypeInsn(Opcodes.CHECKCAST, type.getInternalName());
        }
        m.visitInsn(type.getOpcode(Opcodes.IRETURN));
        m.visitMaxs(0, 0);
        m.visitEnd();
    }

    // ------------------------------------------------------------------ objects

    /** A stub of a type for which {@link #refusal} has no reason; `isMarked`: whether nobody may write such a class. */
    Inputs.Made make(Type type, String name, Ctx c, int depth, boolean isMarked) throws ReflectiveOperationException, Inputs.Refused {
        // Other implementations do other things.
        c.lose(Wire.LOST_INPUT, -1);
        Class<?> t = Types.raw(type);
        List<Slot> slots = slots(t, type);
        Stub stub = new Stub(t, slots, name, c, depth, isMarked);
        all.add(stub);
        String source = OPEN + String.valueOf(all.size() - 1) + CLOSE;
        Class<?> made = of(t, slots);
        List<Constructor<?>> ways = new ArrayList<>();
        for (Constructor<?> k : made.getDeclaredConstructors()) if (inputs.makers.canMakeAll(k, 1, depth)) ways.add(k);
        if (ways.isEmpty()) throw new RunEnd("assume");
        ways.sort((a, b) -> a.getParameterCount() != b.getParameterCount() ? a.getParameterCount() - b.getParameterCount() : a.toString().compareTo(b.toString()));
        Constructor<?> k = ways.get(ways.size() == 1 ? 0 : inputs.choice(name + ".constructor", ways.size(), c));
        stub.arguments = new ArrayList<>();
        Object value = inputs.constructStub(k, stub, stub.arguments, name, c, depth);
        return new Inputs.Made(value, 0, source);
    }

    /** What the methods of one stub return. */
    private final class Stub implements IntFunction<Object> {
        private final Class<?> type;
        private final List<Slot> slots;
        private final String name;
        private final Ctx c;
        private final int depth;
        private final boolean isMarked;
        private boolean isCalled;
        /** Of each method, how often it was called. */
        private final int[] calls;
        /** What its first calls returned, as source has it. */
        private final List<List<String>> values = new ArrayList<>();
        /** Of the constructor. */
        private List<String> arguments = List.of();

        Stub(Class<?> type, List<Slot> slots, String name, Ctx c, int depth, boolean isMarked) {
            this.type = type;
            this.slots = slots;
            this.name = name;
            this.c = c;
            this.depth = depth;
            this.isMarked = isMarked;
            calls = new int[slots.size()];
            for (int k = 0; k < calls.length; k++) values.add(new ArrayList<>());
        }

        @Override
        public Object apply(int k) {
            if (isMarked && !isCalled) inputs.choice(name + "." + type.getSimpleName() + MARK, 1, c);
            isCalled = true;
            Slot s = slots.get(k);
            int nth = calls[k]++;
            if (s.result == void.class) return null;
            try {
                if (nth >= ANSWERS) return Types.zero(Types.raw(s.value));
                String label = name + "." + s.name + (isOverloaded(s) ? k : "") + (nth == 0 ? "" : "(" + (nth + 1) + ")");
                Inputs.Made m = inputs.answer(s.value, label, c, depth + 1);
                values.get(k).add(m.source);
                return inputs.boxed(Types.raw(s.value), m, c);
            } catch (Inputs.Refused | ReflectiveOperationException e) {
                throw new RunEnd("assume");
            }
        }

        private boolean isOverloaded(Slot s) {
            for (Slot other : slots) if (other != s && other.name.equals(s.name)) return true;
            return false;
        }

        /** Null if source cannot write it. */
        String source() {
            boolean can = literals.canName(type) && !arguments.contains(null);
            for (Slot s : slots) {
                can &= s.result == void.class || literals.canName(s.result);
                for (Class<?> p : s.parameters) can &= literals.canName(p);
            }
            for (List<String> each : values) can &= !each.contains(null);
            if (!can) return null;
            String type = literals.name(this.type);
            boolean isLambda = this.type.isInterface() && slots.size() == 1 && !slots.get(0).isGeneric && calls[0] <= 1;
            if (isLambda) {
                Slot s = slots.get(0);
                List<String> names = new ArrayList<>();
                for (int k = 0; k < s.parameters.length; k++) names.add("p" + parameters++);
                String body = s.result == void.class ? "{ }" : values.get(0).isEmpty() ? literals.zero(s.result) : values.get(0).get(0);
                return "((" + type + ") (" + String.join(", ", names) + ") -> " + body + ")";
            }
            StringBuilder text = new StringBuilder("new " + type + "(" + String.join(", ", arguments) + ") { ");
            for (int k = 0; k < slots.size(); k++) write(text, slots.get(k), values.get(k), calls[k] > ANSWERS, "n" + k);
            return text + "}";
        }

        private void write(StringBuilder text, Slot s, List<String> values, boolean hasMore, String counter) {
            List<String> each = new ArrayList<>(values);
            boolean isVoid = s.result == void.class;
            if (!isVoid && (each.isEmpty() || hasMore)) each.add(literals.zero(s.result));
            boolean counts = each.size() > 1;
            if (counts) text.append("private int ").append(counter).append("; ");
            text.append("public ").append(isVoid ? "void" : literals.name(s.result)).append(' ').append(s.name).append('(');
            for (int k = 0; k < s.parameters.length; k++) {
                text.append(k == 0 ? "" : ", ").append(literals.name(s.parameters[k])).append(" p").append(parameters++);
            }
            text.append(") { ");
            if (counts) {
                text.append("switch (").append(counter).append("++) { ");
                for (int k = 0; k + 1 < each.size(); k++) text.append("case ").append(k).append(": return ").append(each.get(k)).append("; ");
                text.append("default: return ").append(each.get(each.size() - 1)).append("; } ");
            } else if (!isVoid) {
                text.append("return ").append(each.get(0)).append("; ");
            }
            text.append("} ");
        }
    }

    // ------------------------------------------------------------------ source

    /** Whether a method of some stub returned input. */
    boolean haveAnswered() {
        for (Stub s : all) for (List<String> values : s.values) if (!values.isEmpty()) return true;
        return false;
    }

    /** Source with the stubs that it has, which are written now; `can`: whether source may have any. Null if it cannot be written. */
    String finished(String source, boolean can) {
        if (source == null || source.indexOf(OPEN) < 0) return source;
        if (!can) return null;
        StringBuilder text = new StringBuilder();
        int from = 0;
        for (int open = source.indexOf(OPEN); open >= 0; open = source.indexOf(OPEN, from)) {
            int close = source.indexOf(CLOSE, open);
            String one = finished(all.get(Integer.parseInt(source.substring(open + 1, close))).source(), true);
            if (one == null) return null;
            text.append(source, from, open).append(one);
            from = close + 1;
        }
        return text.append(source.substring(from)).toString();
    }
}
