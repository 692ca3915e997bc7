package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import java.util.Set;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.*;

/** The natives by which streams read files ({@link polypath.InputFiles}). */
final class FileReads {
    private FileReads() {}

    private static final String FILES = "polypath/InputFiles";

    private static MethodInsnNode call(String name, String desc) {
        return new MethodInsnNode(INVOKESTATIC, FILES, name, desc, false);
    }

    /** Whether it is a native by which a stream reads. */
    static boolean isNative(String owner, MethodNode m) {
        boolean isStream = owner.equals("java/io/FileInputStream") || owner.equals("java/io/RandomAccessFile");
        String member = m.name + m.desc;
        return isStream && (m.access & ACC_NATIVE) != 0 && (member.equals("read0()I") || member.equals("readBytes([BII)I"));
    }

    private static final Set<String> PLACED = Set.of("java/io/FileInputStream.readBytes([BII)I", "java/io/FileInputStream.skip0(J)J",
            "java/io/RandomAccessFile.readBytes([BII)I", "java/io/RandomAccessFile.seek0(J)V");

    /** Whether the native's numbers say which part of a file is meant: each value of them is a way of its own. */
    static boolean isPlaced(String owner, MethodNode m) {
        return PLACED.contains(owner + "." + m.name + m.desc);
    }

    /** In the native's twin, first: decides on the values of its numbers, whose ids begin with this local. */
    static void decide(InsnList code, MethodNode m, int first, int site, int ctx) {
        int at = (m.access & ACC_STATIC) != 0 ? 0 : 1;
        int id = first;
        for (Type t : Type.getArgumentTypes(m.desc)) {
            if (Twins.isPrimitive(t)) {
                code.add(new VarInsnNode(t.getOpcode(ILOAD), at));
                if (t.getSize() == 1) code.add(new InsnNode(I2L));
                code.add(new VarInsnNode(ILOAD, id++));
                code.add(new LdcInsnNode(t.getSize() == 2));
                code.add(new LdcInsnNode(site));
                code.add(new VarInsnNode(ALOAD, ctx));
                code.add(new MethodInsnNode(INVOKESTATIC, "polypath/RT", "one", "(JIZI" + Twins.CTX_DESC + ")V", false));
            }
            at += t.getSize();
        }
    }

    /** In the native's twin, before it is called. */
    static void begin(InsnList code, int ctx) {
        code.add(new VarInsnNode(ALOAD, 0));
        code.add(new VarInsnNode(ALOAD, ctx));
        code.add(call("reads", "(Ljava/lang/Object;" + Twins.CTX_DESC + ")V"));
    }

    /** Behind the call, whose result is on the stack: pushes the id of that. */
    static void end(InsnList code, MethodNode m, int site, int ctx) {
        boolean isByte = m.desc.equals("()I");
        code.add(new InsnNode(DUP));
        code.add(new VarInsnNode(ALOAD, 0));
        if (!isByte) {
            code.add(new VarInsnNode(ALOAD, 1));
            code.add(new VarInsnNode(ILOAD, 2));
        }
        code.add(new LdcInsnNode(site));
        code.add(new VarInsnNode(ALOAD, ctx));
        if (isByte) {
            code.add(call("id", "(ILjava/lang/Object;I" + Twins.CTX_DESC + ")I"));
        } else {
            code.add(call("intoArray", "(ILjava/lang/Object;[BII" + Twins.CTX_DESC + ")V"));
            code.add(new InsnNode(ICONST_0));
        }
    }
}
