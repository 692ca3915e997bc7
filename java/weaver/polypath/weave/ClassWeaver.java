package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodTooLargeException;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Type;
import org.objectweb.asm.commons.JSRInlinerAdapter;
import org.objectweb.asm.tree.*;
import polypath.Wire;

/** Weaves a class: a shadow for each of its fields that holds a primitive, a twin for each of its methods. */
public final class ClassWeaver {
    private final World world;
    /** Class and name of the method under test. */
    private final String entry;

    public ClassWeaver(World world) {
        this(world, "");
    }

    /** `entry`: class and name of a method that tells when it reads its parameters, with a point between. */
    public ClassWeaver(World world, String entry) {
        this.world = world;
        this.entry = entry;
    }

    /** What became of a class. */
    public static final class Woven {
        public byte[] bytes;
        /** Whether a run can leave something behind in its statics. */
        public boolean hasState;
        /** Whether some of these are tables of constants, which nothing changes but what looks into classes. */
        public boolean hasTables;
        /** Whether it looks into classes. */
        public boolean looks;
        /** Whether it asks if two references are the same. */
        public boolean compares;
        /** Methods that are too long when they are woven: those that are bare ({@link Body}), and those that are not woven. */
        final Set<String> bare = new HashSet<>();
        /** Methods that tell when they read their parameters ({@link polypath.Pending}). */
        public final Set<String> readers = new HashSet<>();
        public final Set<String> left = new HashSet<>();
        /** Files of classes that it needs, which are to be woven, too: by name. */
        public final Map<String, byte[]> more = new HashMap<>();
    }

    /** The woven form of a class file. */
    public Woven weave(byte[] file) {
        Woven woven = new Woven();
        while (true) {
            try {
                woven.bytes = attempt(file, woven);
                return woven;
            } catch (MethodTooLargeException e) {
                // The twin's description begins with that of the original.
                String method = original(e.getMethodName(), e.getDescriptor());
                if (!woven.bare.add(method) && !woven.left.add(method)) throw e;
            }
        }
    }

    private static String original(String name, String desc) {
        int end = desc.indexOf(Twins.CTX_DESC + ")");
        if (end < 0) return name + desc;
        String parameters = desc.substring(0, end);
        for (int k = 0; k <= parameters.length(); k++) {
            String cut = parameters.substring(0, parameters.length() - k) + desc.substring(end + Twins.CTX_DESC.length());
            try {
                if (Twins.desc(cut).equals(desc)) return name + cut;
            } catch (RuntimeException e) {
                continue;
            }
        }
        return name + desc;
    }

    private byte[] attempt(byte[] file, Woven woven) {
        ClassNode c = read(file);
        World.Info info = world.info(c.name);
        if ((c.access & ACC_MODULE) != 0 || info == null) return file;
        if (!info.hasTwins()) {
            // (Annotations have fields, too.)
            woven.hasState = State.has(c, Set.of());
            return file;
        }
        Set<String> tables = Tables.of(c);
        woven.hasState = State.has(c, tables);
        woven.hasTables = !tables.isEmpty();
        woven.looks = Tables.looks(c);
        woven.readers.clear();
        for (MethodNode m : c.methods) {
            for (AbstractInsnNode i : m.instructions) woven.compares |= i.getOpcode() == IF_ACMPEQ || i.getOpcode() == IF_ACMPNE;
        }
        if (world.counts(c.name)) {
            Marks.put(c);
            Flow.tell(c);
        }
        Records.replace(c, world);
        for (byte[] more : Lambdas.replace(c, world)) woven.more.put(new ClassReader(more).getClassName(), more);
        boolean isInterface = (c.access & ACC_INTERFACE) != 0;
        if (World.hasShadows(info)) addShadows(c);
        if (isInterface && info.version < V1_8) c.version = V1_8;
        List<MethodNode> bridges = Bridges.of(c, world);
        List<MethodNode> methods = new ArrayList<>();
        for (MethodNode m : c.methods) {
            Concat.replace(m);
            Boxes.prepare(c, m);
            StringHash.prepare(c, m);
            Numerals.prepare(c, m);
            boolean isBare = woven.bare.contains(m.name + m.desc);
            if (m.name.equals("<clinit>")) {
                if (!woven.left.contains(m.name + m.desc)) new Body(world, c.name, m, false, isBare).weave(false);
                else if (reachesOthers(c, m)) opaque(c, m);
                methods.add(m);
            } else if (info.lookAtCallers.contains(m.name + m.desc) && (m.access & (ACC_NATIVE | ACC_ABSTRACT)) == 0) {
                new Body(world, c.name, m, false, isBare).weave(false);
                methods.add(m);
            } else if (info.lookAtCallers.contains(m.name + m.desc)) {
                methods.add(m);
            } else if (!Twins.has(m.name, m.desc)) {
                methods.add(unsupported(c, m));
            } else if ((m.access & (ACC_ABSTRACT | ACC_NATIVE)) != 0) {
                methods.add(m);
                methods.add(Stubs.forgets(c, m, world));
            } else {
                MethodNode stub = Stubs.of(c, m, world);
                Body body = new Body(world, c.name, m, true, isBare);
                if (woven.left.contains(m.name + m.desc) || body.straddles()) {
                    woven.left.add(m.name + m.desc);
                    unsupported(c, m);
                } else {
                    if (!isBare && entry.equals(c.name + "." + m.name)) {
                        body.tellReads();
                        woven.readers.add(m.name + m.desc);
                    }
                    InsnList guard = Guard.has(info, m) ? Guard.of(c, m, world) : new InsnList();
                    body.weave(true);
                    m.instructions.insert(guard);
                }
                Stubs.makeTwin(m);
                if (Models.isOpen(c.name, m.name)) m.access |= ACC_PUBLIC;
                methods.add(m);
                methods.add(stub);
            }
        }
        methods.addAll(bridges);
        if (!isInterface) {
            ofObject(c, methods);
            methods.add(mark(c));
        }
        c.methods = methods;
        ClassWriter writer = new ClassWriter(0);
        c.accept(writer);
        return writer.toByteArray();
    }

    static ClassNode read(byte[] file) {
        ClassReader reader = new ClassReader(file);
        ClassNode c = new ClassNode(ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String desc, String signature, String[] thrown) {
                MethodVisitor m = super.visitMethod(access, name, desc, signature, thrown);
                // Subroutines of old compilers.
                return new JSRInlinerAdapter(ASM9, m, access, name, desc, signature, thrown) {};
            }
        };
        reader.accept(c, ClassReader.EXPAND_FRAMES);
        return c;
    }

    /** The class says that it is woven. */
    private static MethodNode mark(ClassNode c) {
        // Before Java 5 a class could not name itself.
        if ((c.version & 0xffff) < V1_5) c.version = V1_5;
        c.interfaces.add("polypath/Woven");
        MethodNode m = new MethodNode(ACC_PUBLIC | ACC_SYNTHETIC, "polypath$class", "()Ljava/lang/Class;", null, null);
        m.instructions.add(new LdcInsnNode(Type.getObjectType(c.name)));
        m.instructions.add(new InsnNode(ARETURN));
        m.maxLocals = 1;
        m.maxStack = 1;
        return m;
    }

    /**
     * Twins of what each class has of Object, in the first woven class of a hierarchy that has none of its own: an interface can declare the
     * same methods, and of two interfaces no class inherits either twin.
     */
    private void ofObject(ClassNode c, List<MethodNode> methods) {
        World.Info above = world.info(c.superName);
        for (World.Info i = world.library(c.superName); above == null && i != null && i.superName != null; i = world.library(i.superName)) {
            above = world.info(i.superName);
        }
        if (above != null) return;
        for (String member : new String[] {"hashCode()I", "equals(Ljava/lang/Object;)Z"}) {
            int parameters = member.indexOf('(');
            String name = member.substring(0, parameters);
            String desc = member.substring(parameters);
            if (methods.stream().anyMatch(m -> m.name.equals(name) && m.desc.equals(Twins.desc(desc)))) continue;
            MethodNode m = new MethodNode(ACC_PUBLIC | ACC_SYNTHETIC, name, Twins.desc(desc), null, null);
            int ctx = Type.getArgumentsAndReturnSizes(desc) >> 2;
            if (name.equals("hashCode")) {
                m.instructions.add(new LdcInsnNode(Sites.number(world, c.name + "." + member, 0, "bare 0")));
                m.instructions.add(new VarInsnNode(ALOAD, ctx));
                m.instructions.add(new MethodInsnNode(INVOKESTATIC, "polypath/RT", "identity", "(I" + Twins.CTX_DESC + ")V", false));
            }
            m.instructions.add(new VarInsnNode(ALOAD, ctx));
            m.instructions.add(new InsnNode(ICONST_0));
            m.instructions.add(new FieldInsnNode(PUTFIELD, Twins.CTX, "ret", "I"));
            for (int k = 0; k < ctx; k++) m.instructions.add(new VarInsnNode(ALOAD, k));
            m.instructions.add(new MethodInsnNode(INVOKEVIRTUAL, "java/lang/Object", name, desc, false));
            m.instructions.add(new InsnNode(IRETURN));
            m.maxLocals = ctx + 1;
            m.maxStack = Math.max(2, ctx);
            methods.add(m);
        }
    }

    private static void addShadows(ClassNode c) {
        for (FieldNode f : new ArrayList<>(c.fields)) {
            if (!Twins.isPrimitive(Type.getType(f.desc))) continue;
            int access = ACC_PUBLIC | ACC_SYNTHETIC | ACC_TRANSIENT | f.access & ACC_STATIC;
            c.fields.add(new FieldNode(access, Fields.shadow(f.name), "I", null, null));
        }
    }

    /** Whether the method calls others or reads what may be theirs. The start of a class that only fills tables does neither. */
    private static boolean reachesOthers(ClassNode c, MethodNode m) {
        for (AbstractInsnNode i : m.instructions) {
            if (i instanceof MethodInsnNode || i instanceof InvokeDynamicInsnNode) return true;
            if (i instanceof FieldInsnNode && !((FieldInsnNode) i).owner.equals(c.name)) return true;
        }
        return false;
    }

    /** The start of a class is not woven: what it does with input is unseen. */
    private void opaque(ClassNode c, MethodNode m) {
        InsnList start = new InsnList();
        start.add(new LdcInsnNode(Wire.LOST_METHOD));
        start.add(new LdcInsnNode(Sites.number(world, c.name + "." + m.name + m.desc, 0, "bare 0")));
        start.add(new MethodInsnNode(INVOKESTATIC, "polypath/RT", "ctx", "()" + Twins.CTX_DESC, false));
        start.add(new MethodInsnNode(INVOKESTATIC, "polypath/RT", "opaque", "(II" + Twins.CTX_DESC + ")V", false));
        m.instructions.insert(start);
        m.maxStack = Math.max(m.maxStack, 3);
    }

    /** The method ends the run: what it writes without being woven would be unseen. */
    private static MethodNode unsupported(ClassNode c, MethodNode m) {
        if ((m.access & (ACC_ABSTRACT | ACC_NATIVE)) != 0) return m;
        InsnList code = new InsnList();
        code.add(new LdcInsnNode("method that cannot be woven: " + c.name.replace('/', '.') + "." + m.name));
        code.add(new MethodInsnNode(INVOKESTATIC, "polypath/RT", "unsupported", "(Ljava/lang/String;)Ljava/lang/Error;", false));
        code.add(new InsnNode(ATHROW));
        m.instructions = code;
        m.tryCatchBlocks = new ArrayList<>();
        m.localVariables = null;
        m.visibleLocalVariableAnnotations = null;
        m.invisibleLocalVariableAnnotations = null;
        m.maxLocals = Type.getArgumentsAndReturnSizes(Twins.desc(m.desc)) >> 2;
        m.maxStack = 1;
        return m;
    }
}
