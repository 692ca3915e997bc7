package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.*;

/** The methods `equals`, `hashCode` and `toString` of records, which the JDK makes at run time, become code before weaving. */
final class Records {
    private Records() {}

    private static final String FACTORY = "java/lang/runtime/ObjectMethods";
    private static final String OBJECT = "Ljava/lang/Object;";
    private static final String BUILDER = "java/lang/StringBuilder";

    static void replace(ClassNode c, World world) {
        for (MethodNode m : new ArrayList<>(c.methods)) {
            for (AbstractInsnNode i : m.instructions.toArray()) {
                if (!(i instanceof InvokeDynamicInsnNode)) continue;
                InvokeDynamicInsnNode n = (InvokeDynamicInsnNode) i;
                if (!n.bsm.getOwner().equals(FACTORY)) continue;
                MethodNode made = new MethodNode(ACC_STATIC | ACC_SYNTHETIC, Lambdas.ADDED + n.name, n.desc, null, null);
                List<Handle> fields = new ArrayList<>();
                for (int k = 2; k < n.bsmArgs.length; k++) fields.add((Handle) n.bsmArgs[k]);
                switch (n.name) {
                    case "equals": equals(made, c.name, fields); break;
                    case "hashCode": hash(made, fields); break;
                    default: text(made, c.name, (String) n.bsmArgs[1], fields); break;
                }
                c.methods.add(made);
                world.learn(c.name, made.name + made.desc, made.access);
                m.instructions.set(i, new MethodInsnNode(INVOKESTATIC, c.name, made.name, made.desc, false));
            }
        }
    }

    private static void field(InsnList code, Handle h) {
        code.add(new FieldInsnNode(GETFIELD, h.getOwner(), h.getName(), h.getDesc()));
    }

    private static void call(InsnList code, String owner, String name, String desc) {
        code.add(new MethodInsnNode(INVOKESTATIC, owner, name, desc, false));
    }

    private static void equals(MethodNode m, String owner, List<Handle> fields) {
        InsnList code = m.instructions;
        LabelNode differ = new LabelNode();
        code.add(new VarInsnNode(ALOAD, 1));
        code.add(new TypeInsnNode(INSTANCEOF, owner));
        code.add(new JumpInsnNode(IFEQ, differ));
        for (Handle h : fields) {
            code.add(new VarInsnNode(ALOAD, 0));
            field(code, h);
            code.add(new VarInsnNode(ALOAD, 1));
            code.add(new TypeInsnNode(CHECKCAST, owner));
            field(code, h);
            switch (Type.getType(h.getDesc()).getSort()) {
                case Type.LONG:
                    code.add(new InsnNode(LCMP));
                    code.add(new JumpInsnNode(IFNE, differ));
                    break;
                case Type.FLOAT:
                    call(code, "java/lang/Float", "compare", "(FF)I");
                    code.add(new JumpInsnNode(IFNE, differ));
                    break;
                case Type.DOUBLE:
                    call(code, "java/lang/Double", "compare", "(DD)I");
                    code.add(new JumpInsnNode(IFNE, differ));
                    break;
                case Type.ARRAY:
                case Type.OBJECT:
                    call(code, "java/util/Objects", "equals", "(" + OBJECT + OBJECT + ")Z");
                    code.add(new JumpInsnNode(IFEQ, differ));
                    break;
                default:
                    code.add(new JumpInsnNode(IF_ICMPNE, differ));
                    break;
            }
        }
        code.add(new InsnNode(ICONST_1));
        code.add(new InsnNode(IRETURN));
        code.add(differ);
        code.add(new FrameNode(F_NEW, 2, new Object[] {owner, "java/lang/Object"}, 0, new Object[0]));
        code.add(new InsnNode(ICONST_0));
        code.add(new InsnNode(IRETURN));
        m.maxLocals = 2;
        m.maxStack = 4;
    }

    private static void hash(MethodNode m, List<Handle> fields) {
        InsnList code = m.instructions;
        code.add(new InsnNode(ICONST_0));
        for (Handle h : fields) {
            code.add(new IntInsnNode(BIPUSH, 31));
            code.add(new InsnNode(IMUL));
            code.add(new VarInsnNode(ALOAD, 0));
            field(code, h);
            Type t = Type.getType(h.getDesc());
            if (Twins.isPrimitive(t)) call(code, Boxing.box(t), "hashCode", "(" + h.getDesc() + ")I");
            else call(code, "java/util/Objects", "hashCode", "(" + OBJECT + ")I");
            code.add(new InsnNode(IADD));
        }
        code.add(new InsnNode(IRETURN));
        m.maxLocals = 1;
        m.maxStack = 3;
    }

    private static void text(MethodNode m, String owner, String names, List<Handle> fields) {
        InsnList code = m.instructions;
        code.add(new TypeInsnNode(NEW, BUILDER));
        code.add(new InsnNode(DUP));
        code.add(new MethodInsnNode(INVOKESPECIAL, BUILDER, "<init>", "()V", false));
        code.add(new LdcInsnNode(Type.getObjectType(owner)));
        code.add(new MethodInsnNode(INVOKEVIRTUAL, "java/lang/Class", "getSimpleName", "()Ljava/lang/String;", false));
        Concat.append(code, "Ljava/lang/String;");
        String[] all = names.split(";");
        for (int k = 0; k < fields.size(); k++) {
            code.add(new LdcInsnNode((k == 0 ? "[" : ", ") + all[k] + "="));
            Concat.append(code, "Ljava/lang/String;");
            code.add(new VarInsnNode(ALOAD, 0));
            field(code, fields.get(k));
            Concat.append(code, Concat.parameter(Type.getType(fields.get(k).getDesc())));
        }
        code.add(new LdcInsnNode(fields.isEmpty() ? "[]" : "]"));
        Concat.append(code, "Ljava/lang/String;");
        code.add(new MethodInsnNode(INVOKEVIRTUAL, BUILDER, "toString", "()Ljava/lang/String;", false));
        code.add(new InsnNode(ARETURN));
        m.maxLocals = 1;
        m.maxStack = 4;
    }
}
