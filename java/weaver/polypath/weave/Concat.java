package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Type;
import org.objectweb.asm.tree.*;

/**
 * Concatenation of strings by `invokedynamic`, for which the JDK makes code at run time, becomes calls of a StringBuilder
 * before a method is woven.
 */
final class Concat {
    private Concat() {}

    private static final String BUILDER = "java/lang/StringBuilder";

    static void replace(MethodNode m) {
        for (AbstractInsnNode i : m.instructions.toArray()) {
            if (!(i instanceof InvokeDynamicInsnNode)) continue;
            InvokeDynamicInsnNode n = (InvokeDynamicInsnNode) i;
            if (!n.bsm.getOwner().equals("java/lang/invoke/StringConcatFactory")) continue;
            InsnList code = code(n, m);
            if (code == null) continue;
            m.instructions.insertBefore(i, code);
            m.instructions.remove(i);
        }
    }

    /** The recipe has \1 for an argument, \2 for a constant, and text. */
    private static InsnList code(InvokeDynamicInsnNode n, MethodNode m) {
        InsnList code = new InsnList();
        Type[] types = Type.getArgumentTypes(n.desc);
        int[] kept = new int[types.length];
        int next = m.maxLocals;
        for (int k = types.length - 1; k >= 0; k--) {
            kept[k] = next;
            code.add(new VarInsnNode(types[k].getOpcode(ISTORE), next));
            next += types[k].getSize();
        }
        m.maxLocals = next;
        m.maxStack += 4;
        code.add(new TypeInsnNode(NEW, BUILDER));
        code.add(new InsnNode(DUP));
        code.add(new MethodInsnNode(INVOKESPECIAL, BUILDER, "<init>", "()V", false));
        boolean hasRecipe = n.bsm.getName().equals("makeConcatWithConstants");
        String recipe = hasRecipe ? (String) n.bsmArgs[0] : "\1".repeat(types.length);
        int argument = 0;
        int constant = 1;
        StringBuilder text = new StringBuilder();
        for (int at = 0; at <= recipe.length(); at++) {
            char c = at < recipe.length() ? recipe.charAt(at) : 0;
            boolean ends = at == recipe.length() || c == 1 || c == 2;
            if (!ends) {
                text.append(c);
                continue;
            }
            if (text.length() > 0) {
                code.add(new LdcInsnNode(text.toString()));
                append(code, "Ljava/lang/String;");
                text.setLength(0);
            }
            if (c == 1) {
                Type t = types[argument];
                code.add(new VarInsnNode(t.getOpcode(ILOAD), kept[argument++]));
                append(code, parameter(t));
            } else if (c == 2) {
                Object value = n.bsmArgs[constant++];
                if (!(value instanceof String || value instanceof Number)) return null;
                code.add(new LdcInsnNode(value.toString()));
                append(code, "Ljava/lang/String;");
            }
        }
        code.add(new MethodInsnNode(INVOKEVIRTUAL, BUILDER, "toString", "()Ljava/lang/String;", false));
        return code;
    }

    static void append(InsnList code, String parameter) {
        code.add(new MethodInsnNode(INVOKEVIRTUAL, BUILDER, "append", "(" + parameter + ")L" + BUILDER + ";", false));
    }

    /** The parameter of the `append` for a type. */
    static String parameter(Type t) {
        switch (t.getSort()) {
            case Type.BYTE:
            case Type.SHORT:
                return "I";
            case Type.ARRAY:
            case Type.OBJECT:
                return t.getDescriptor().equals("Ljava/lang/String;") ? t.getDescriptor() : "Ljava/lang/Object;";
            default:
                return t.getDescriptor();
        }
    }
}
