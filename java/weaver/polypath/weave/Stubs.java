package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import java.util.ArrayList;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.*;

/** What stands between woven code and code that is not. */
final class Stubs {
    private Stubs() {}

    /** The method in its original form: calls the twin with ids of 0, and counts what it gives away. */
    static MethodNode of(ClassNode c, MethodNode m, World world) {
        String[] thrown = m.exceptions.toArray(new String[0]);
        MethodNode s = new MethodNode(m.access, m.name, m.desc, m.signature, thrown);
        s.visibleAnnotations = m.visibleAnnotations;
        s.invisibleAnnotations = m.invisibleAnnotations;
        s.visibleTypeAnnotations = m.visibleTypeAnnotations;
        s.invisibleTypeAnnotations = m.invisibleTypeAnnotations;
        s.visibleParameterAnnotations = m.visibleParameterAnnotations;
        s.invisibleParameterAnnotations = m.invisibleParameterAnnotations;
        s.visibleAnnotableParameterCount = m.visibleAnnotableParameterCount;
        s.invisibleAnnotableParameterCount = m.invisibleAnnotableParameterCount;
        s.parameters = m.parameters;
        boolean isInterface = (c.access & ACC_INTERFACE) != 0;
        boolean isStatic = (m.access & ACC_STATIC) != 0;
        InsnList code = s.instructions;
        int words = arguments(code, m, isStatic);
        int ids = Twins.ids(m.desc);
        // Arrays of the caller can be written here; a constructor has no `this` yet, but its arguments.
        int site = Sites.number(world, c.name + "." + m.name + m.desc, 0, "entry 0");
        escapeArguments(code, m, isStatic, site);
        if (Twins.isPrimitive(Type.getReturnType(m.desc))) knowTexts(code, c, m, isStatic);
        for (int k = 0; k < ids; k++) code.add(new InsnNode(ICONST_0));
        String ctx = Guard.has(world.info(c.name), m) ? "direct" : "ctx";
        code.add(new MethodInsnNode(INVOKESTATIC, "polypath/RT", ctx, "()" + Twins.CTX_DESC, false));
        code.add(new MethodInsnNode(isStatic ? INVOKESTATIC : INVOKESPECIAL, c.name, m.name, Twins.desc(m.desc), isInterface));
        Type result = Type.getReturnType(m.desc);
        if (Twins.isPrimitive(result)) {
            push(code, site);
            code.add(new MethodInsnNode(INVOKESTATIC, "polypath/RT", "ctx", "()" + Twins.CTX_DESC, false));
            code.add(new MethodInsnNode(INVOKESTATIC, "polypath/RT", "give", "(I" + Twins.CTX_DESC + ")V", false));
        } else if (Calls.mayBeArray(result)) {
            code.add(new InsnNode(DUP));
            escape(code, 1, site);
        }
        code.add(new InsnNode(result.getOpcode(IRETURN)));
        s.maxLocals = words;
        s.maxStack = words + ids + 8;
        return s;
    }

    /** The twin of a method without code: calls it in its original form, and counts what it does not pass. */
    static MethodNode forgets(ClassNode c, MethodNode m, World world) {
        int access = m.access & ~(ACC_ABSTRACT | ACC_NATIVE | ACC_SYNCHRONIZED | ACC_VARARGS) | ACC_SYNTHETIC;
        MethodNode t = new MethodNode(access, m.name, Twins.desc(m.desc), null, m.exceptions.toArray(new String[0]));
        forward(t.instructions, c, m, world);
        int words = Type.getArgumentsAndReturnSizes(m.desc) >> 2;
        int ids = Twins.ids(m.desc);
        t.maxLocals = words + ids + 1;
        t.maxStack = words + ids + 8;
        return t;
    }

    /** A twin of a method that the class inherits from one that is not woven: calls that. */
    static MethodNode forwards(ClassNode c, MethodNode m, World world) {
        MethodNode t = forgets(c, m, world);
        for (AbstractInsnNode i : t.instructions) {
            if (!(i instanceof MethodInsnNode) || !((MethodInsnNode) i).owner.equals(c.name)) continue;
            ((MethodInsnNode) i).owner = c.superName;
            ((MethodInsnNode) i).setOpcode(INVOKESPECIAL);
        }
        return t;
    }

    /** In a twin: calls the method in its original form, and returns. */
    static void forward(InsnList code, ClassNode c, MethodNode m, World world) {
        boolean isInterface = (c.access & ACC_INTERFACE) != 0;
        boolean isStatic = (m.access & ACC_STATIC) != 0;
        int site = Sites.number(world, c.name + "." + m.name + m.desc, 0, "entry 0");
        int words = Type.getArgumentsAndReturnSizes(m.desc) >> 2;
        if (isStatic) words--;
        int ids = Twins.ids(m.desc);
        int ctx = words + ids;
        if (FileReads.isPlaced(c.name, m)) {
            FileReads.decide(code, m, words, site, ctx);
        } else if (ids > 0) {
            boolean prints = c.name.equals("java/io/PrintStream");
            if (prints) code.add(new VarInsnNode(ALOAD, 0));
            for (int k = 0; k < ids; k++) {
                code.add(new VarInsnNode(ILOAD, words + k));
                if (k > 0) code.add(new InsnNode(IOR));
            }
            // What goes to the program's output is not lost.
            if (prints) code.add(new MethodInsnNode(INVOKESTATIC, "polypath/RT", "printed", "(Ljava/lang/Object;I)I", false));
            push(code, Calls.LOST_OVERRIDE);
            push(code, site);
            code.add(new VarInsnNode(ALOAD, ctx));
            code.add(new MethodInsnNode(INVOKESTATIC, "polypath/RT", "lost", "(III" + Twins.CTX_DESC + ")V", false));
        }
        // A native that reads a file writes what it says it does, and forgets the array.
        if (!FileReads.isNative(c.name, m)) escapeArguments(code, m, isStatic, site);
        if ((m.access & ACC_NATIVE) != 0) seen(code, c, m, isStatic, site, ctx);
        boolean reads = FileReads.isNative(c.name, m);
        if (reads) FileReads.begin(code, ctx);
        arguments(code, m, isStatic);
        int op = isStatic ? INVOKESTATIC : isInterface ? INVOKEINTERFACE
                : (m.access & ACC_PRIVATE) != 0 ? INVOKESPECIAL : INVOKEVIRTUAL;
        code.add(new MethodInsnNode(op, c.name, m.name, m.desc, isInterface));
        if (reads) FileReads.end(code, m, site, ctx);
        else code.add(new InsnNode(ICONST_0));
        code.add(new VarInsnNode(ALOAD, ctx));
        code.add(new MethodInsnNode(INVOKESTATIC, "polypath/RT", "result", "(I" + Twins.CTX_DESC + ")V", false));
        code.add(new InsnNode(Type.getReturnType(m.desc).getOpcode(IRETURN)));
    }

    /** Makes the woven method a twin. */
    static void makeTwin(MethodNode m) {
        m.desc = Twins.desc(m.desc);
        m.access = m.access & ~ACC_VARARGS | ACC_SYNTHETIC;
        m.signature = null;
        m.visibleAnnotations = m.invisibleAnnotations = null;
        m.visibleTypeAnnotations = m.invisibleTypeAnnotations = null;
        m.visibleParameterAnnotations = m.invisibleParameterAnnotations = null;
        m.visibleAnnotableParameterCount = m.invisibleAnnotableParameterCount = 0;
        m.annotationDefault = null;
        m.parameters = null;
        m.attrs = new ArrayList<>();
    }

    private static int arguments(InsnList code, MethodNode m, boolean isStatic) {
        int at = 0;
        if (!isStatic) code.add(new VarInsnNode(ALOAD, at++));
        for (Type t : Type.getArgumentTypes(m.desc)) {
            code.add(new VarInsnNode(t.getOpcode(ILOAD), at));
            at += t.getSize();
        }
        return at;
    }

    private static void escapeArguments(InsnList code, MethodNode m, boolean isStatic, int site) {
        int at = isStatic ? 0 : 1;
        for (Type t : Type.getArgumentTypes(m.desc)) {
            if (Calls.mayBeArray(t)) {
                code.add(new VarInsnNode(ALOAD, at));
                escape(code, 0, site);
            }
            at += t.getSize();
        }
    }

    /** Lengths of texts that the method's result may depend on. */
    private static void knowTexts(InsnList code, ClassNode c, MethodNode m, boolean isStatic) {
        int at = 0;
        if (!isStatic && !m.name.equals("<init>")) knowText(code, Type.getObjectType(c.name), 0);
        if (!isStatic) at++;
        for (Type t : Type.getArgumentTypes(m.desc)) {
            knowText(code, t, at);
            at += t.getSize();
        }
    }

    private static void knowText(InsnList code, Type t, int at) {
        String name = t.getSort() == Type.OBJECT ? t.getInternalName() : "";
        if (!name.equals("java/lang/String") && !name.equals("java/lang/CharSequence")) return;
        code.add(new VarInsnNode(ALOAD, at));
        code.add(new MethodInsnNode(INVOKESTATIC, "polypath/RT", "known", "(Ljava/lang/Object;)V", false));
    }

    /** What a native method is given of texts, which it reads past their methods. */
    private static void seen(InsnList code, ClassNode c, MethodNode m, boolean isStatic, int site, int ctx) {
        int at = 0;
        if (!isStatic) at = seen(code, c.name, Type.getObjectType(c.name), at, site, ctx);
        for (Type t : Type.getArgumentTypes(m.desc)) at = seen(code, c.name, t, at, site, ctx);
    }

    private static int seen(InsnList code, String owner, Type t, int at, int site, int ctx) {
        if (Calls.looksInto(owner, t)) {
            code.add(new VarInsnNode(ALOAD, at));
            push(code, site);
            code.add(new VarInsnNode(ALOAD, ctx));
            code.add(new MethodInsnNode(INVOKESTATIC, "polypath/RT", "seen", "(Ljava/lang/Object;I" + Twins.CTX_DESC + ")V", false));
        }
        return at + t.getSize();
    }

    private static void escape(InsnList code, int what, int site) {
        push(code, what);
        push(code, site);
        code.add(new MethodInsnNode(INVOKESTATIC, "polypath/RT", "ctx", "()" + Twins.CTX_DESC, false));
        code.add(new MethodInsnNode(INVOKESTATIC, "polypath/RT", "escape", "(Ljava/lang/Object;II" + Twins.CTX_DESC + ")V", false));
    }

    private static void push(InsnList code, int n) {
        code.add(new LdcInsnNode(n));
    }
}
