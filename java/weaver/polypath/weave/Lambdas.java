package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.*;

/**
 * Lambdas and method references, for which the JDK makes classes at run time, become ordinary classes before weaving. Such a class
 * implements the interface, keeps what the lambda captures, and calls a method that is added to the lambda's own class:
 * that one may call whatever the lambda may, and converts arguments and result as the JDK does.
 */
final class Lambdas {
    private Lambdas() {}

    private static final String FACTORY = "java/lang/invoke/LambdaMetafactory";
    /** In the names of the classes. */
    private static final String MARK = "$$Lambda$polypath";
    /** How the names of all methods begin that weaving adds to classes. */
    static final String ADDED = "polypath$";
    private static final String INSTANCE = "instance";
    private static final int SERIALIZABLE = 1;
    private static final int MARKERS = 2;
    private static final int BRIDGES = 4;

    /** Whether a method is none that the program's author wrote: it is not counted. */
    static boolean isAdded(String owner, String method) {
        return owner.contains(MARK) || method.startsWith(ADDED);
    }

    /** Replaces the lambdas of a class, and gives the files of the classes that it needs for that. */
    static List<byte[]> replace(ClassNode c, World world) {
        List<byte[]> made = new ArrayList<>();
        for (MethodNode m : new ArrayList<>(c.methods)) {
            for (AbstractInsnNode i : m.instructions.toArray()) {
                if (!(i instanceof InvokeDynamicInsnNode)) continue;
                InvokeDynamicInsnNode n = (InvokeDynamicInsnNode) i;
                if (!n.bsm.getOwner().equals(FACTORY)) continue;
                String name = c.name + MARK + made.size();
                MethodNode body = body(c, n, ADDED + "lambda" + made.size());
                c.methods.add(body);
                world.learn(c.name, body.name + body.desc, body.access);
                byte[] file = file(c, n, name, body);
                world.learn(file);
                made.add(file);
                m.instructions.set(i, new MethodInsnNode(INVOKESTATIC, name, "make", n.desc, false));
            }
        }
        return made;
    }

    // ------------------------------------------------------------------ the method that does it

    /** A method of the lambda's class, which takes what is captured and the arguments, and does what the lambda does. */
    private static MethodNode body(ClassNode c, InvokeDynamicInsnNode n, String name) {
        Handle target = (Handle) n.bsmArgs[1];
        Type called = (Type) n.bsmArgs[2];
        boolean isNew = target.getTag() == H_NEWINVOKESPECIAL;
        boolean isStatic = target.getTag() == H_INVOKESTATIC;
        List<Type> given = new ArrayList<>(List.of(Type.getArgumentTypes(n.desc)));
        given.addAll(List.of(called.getArgumentTypes()));
        List<Type> wanted = new ArrayList<>();
        if (!isNew && !isStatic) wanted.add(given.get(0).getSort() == Type.ARRAY ? given.get(0) : Type.getObjectType(target.getOwner()));
        wanted.addAll(List.of(Type.getArgumentTypes(target.getDesc())));
        String desc = Type.getMethodDescriptor(called.getReturnType(), given.toArray(new Type[0]));
        boolean isInterface = (c.access & ACC_INTERFACE) != 0;
        MethodNode m = new MethodNode(ACC_STATIC | ACC_SYNTHETIC | (isInterface ? ACC_PUBLIC : 0), name, desc, null, null);
        InsnList code = m.instructions;
        if (isNew) {
            code.add(new TypeInsnNode(NEW, target.getOwner()));
            code.add(new InsnNode(DUP));
        }
        int at = 0;
        for (int k = 0; k < given.size(); k++) {
            code.add(new VarInsnNode(given.get(k).getOpcode(ILOAD), at));
            at += given.get(k).getSize();
            Boxing.convert(code, given.get(k), wanted.get(k));
        }
        code.add(new MethodInsnNode(opcode(target.getTag()), target.getOwner(), target.getName(), target.getDesc(), target.isInterface()));
        Type result = isNew ? Type.getObjectType(target.getOwner()) : Type.getReturnType(target.getDesc());
        Boxing.convert(code, result, called.getReturnType());
        code.add(new InsnNode(called.getReturnType().getOpcode(IRETURN)));
        m.maxLocals = at;
        m.maxStack = at + 6;
        return m;
    }

    private static int opcode(int tag) {
        switch (tag) {
            case H_INVOKESTATIC: return INVOKESTATIC;
            case H_INVOKEINTERFACE: return INVOKEINTERFACE;
            case H_INVOKEVIRTUAL: return INVOKEVIRTUAL;
            default: return INVOKESPECIAL;
        }
    }

    // ------------------------------------------------------------------ the class

    private static byte[] file(ClassNode owner, InvokeDynamicInsnNode n, String name, MethodNode body) {
        Type[] captured = Type.getArgumentTypes(n.desc);
        ClassNode c = new ClassNode();
        c.version = owner.version;
        c.access = ACC_FINAL | ACC_SUPER | ACC_SYNTHETIC;
        c.name = name;
        c.superName = "java/lang/Object";
        c.interfaces.add(Type.getReturnType(n.desc).getInternalName());
        List<Type> forms = new ArrayList<>();
        forms.add((Type) n.bsmArgs[0]);
        if (n.bsm.getName().equals("altMetafactory")) extras(n, c, forms);
        for (int k = 0; k < captured.length; k++) c.fields.add(new FieldNode(ACC_PRIVATE | ACC_FINAL, "f" + k, captured[k].getDescriptor(), null, null));
        c.methods.add(constructor(c, captured));
        if (captured.length == 0) single(c, n.desc);
        else c.methods.add(make(c, captured, n.desc));
        boolean isInterface = (owner.access & ACC_INTERFACE) != 0;
        for (Type form : forms) c.methods.add(form(c, captured, n.name, form, owner.name, isInterface, body));
        ClassWriter w = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        c.accept(w);
        return w.toByteArray();
    }

    /** Further interfaces, and further types under which the method is called. */
    private static void extras(InvokeDynamicInsnNode n, ClassNode c, List<Type> forms) {
        int flags = (Integer) n.bsmArgs[3];
        int at = 4;
        if ((flags & SERIALIZABLE) != 0) addInterface(c, "java/io/Serializable");
        if ((flags & MARKERS) != 0) {
            int count = (Integer) n.bsmArgs[at++];
            while (count-- > 0) addInterface(c, ((Type) n.bsmArgs[at++]).getInternalName());
        }
        if ((flags & BRIDGES) != 0) {
            int count = (Integer) n.bsmArgs[at++];
            while (count-- > 0) {
                Type form = (Type) n.bsmArgs[at++];
                if (!forms.contains(form)) forms.add(form);
            }
        }
    }

    private static void addInterface(ClassNode c, String name) {
        if (!c.interfaces.contains(name)) c.interfaces.add(name);
    }

    private static MethodNode constructor(ClassNode c, Type[] captured) {
        MethodNode m = new MethodNode(ACC_PRIVATE, "<init>", Type.getMethodDescriptor(Type.VOID_TYPE, captured), null, null);
        InsnList code = m.instructions;
        code.add(new VarInsnNode(ALOAD, 0));
        code.add(new MethodInsnNode(INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false));
        int at = 1;
        for (int k = 0; k < captured.length; k++) {
            code.add(new VarInsnNode(ALOAD, 0));
            code.add(new VarInsnNode(captured[k].getOpcode(ILOAD), at));
            code.add(new FieldInsnNode(PUTFIELD, c.name, "f" + k, captured[k].getDescriptor()));
            at += captured[k].getSize();
        }
        code.add(new InsnNode(RETURN));
        return m;
    }

    private static MethodNode make(ClassNode c, Type[] captured, String desc) {
        MethodNode m = new MethodNode(ACC_STATIC, "make", desc, null, null);
        InsnList code = m.instructions;
        create(code, c);
        int at = 0;
        for (Type t : captured) {
            code.add(new VarInsnNode(t.getOpcode(ILOAD), at));
            at += t.getSize();
        }
        code.add(new MethodInsnNode(INVOKESPECIAL, c.name, "<init>", Type.getMethodDescriptor(Type.VOID_TYPE, captured), false));
        code.add(new InsnNode(ARETURN));
        return m;
    }

    private static void create(InsnList code, ClassNode c) {
        code.add(new TypeInsnNode(NEW, c.name));
        code.add(new InsnNode(DUP));
    }

    /** A lambda that captures nothing is one object, as in the JDK. */
    private static void single(ClassNode c, String desc) {
        String type = "L" + c.name + ";";
        c.fields.add(new FieldNode(ACC_PRIVATE | ACC_STATIC | ACC_FINAL, INSTANCE, type, null, null));
        MethodNode start = new MethodNode(ACC_STATIC, "<clinit>", "()V", null, null);
        create(start.instructions, c);
        start.instructions.add(new MethodInsnNode(INVOKESPECIAL, c.name, "<init>", "()V", false));
        start.instructions.add(new FieldInsnNode(PUTSTATIC, c.name, INSTANCE, type));
        start.instructions.add(new InsnNode(RETURN));
        MethodNode make = new MethodNode(ACC_STATIC, "make", desc, null, null);
        make.instructions.add(new FieldInsnNode(GETSTATIC, c.name, INSTANCE, type));
        make.instructions.add(new InsnNode(ARETURN));
        c.methods.add(start);
        c.methods.add(make);
    }

    /** The method of the interface, under one of its types. */
    private static MethodNode form(ClassNode c, Type[] captured, String name, Type form, String owner, boolean isInterface, MethodNode body) {
        MethodNode m = new MethodNode(ACC_PUBLIC, name, form.getDescriptor(), null, null);
        InsnList code = m.instructions;
        for (int k = 0; k < captured.length; k++) {
            code.add(new VarInsnNode(ALOAD, 0));
            code.add(new FieldInsnNode(GETFIELD, c.name, "f" + k, captured[k].getDescriptor()));
        }
        Type[] wanted = Type.getArgumentTypes(body.desc);
        Type[] given = form.getArgumentTypes();
        int at = 1;
        for (int k = 0; k < given.length; k++) {
            code.add(new VarInsnNode(given[k].getOpcode(ILOAD), at));
            at += given[k].getSize();
            Boxing.convert(code, given[k], wanted[captured.length + k]);
        }
        code.add(new MethodInsnNode(INVOKESTATIC, owner, body.name, body.desc, isInterface));
        Boxing.convert(code, Type.getReturnType(body.desc), form.getReturnType());
        code.add(new InsnNode(form.getReturnType().getOpcode(IRETURN)));
        return m;
    }
}
