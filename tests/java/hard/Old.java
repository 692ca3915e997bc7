import static org.objectweb.asm.Opcodes.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;

/** Writes class files of Java 1.1 as the compilers of that time did: a `finally` is a subroutine (jsr, ret). */
final class Old {
    public static void main(String[] args) throws IOException {
        Path out = Files.createDirectories(Path.of(args[0]));
        Files.write(out.resolve("Finally.class"), withSubroutine());
        Files.write(out.resolve("Constants.class"), withConstants());
    }

    /**
     * `int path(byte x) { int r = 0; try { r = 10 / x & 0; } finally { r += x > 5 ? 100 : 1; count++; } if ((x & 1) != 0) r += Constants.TABLE[1]; return r; }`
     */
    private static byte[] withSubroutine() {
        ClassWriter c = new ClassWriter(0);
        c.visit(V1_1, ACC_PUBLIC | ACC_SUPER, "Finally", null, "java/lang/Object", null);
        c.visitField(ACC_STATIC, "count", "I", null, null).visitEnd();
        MethodVisitor m = c.visitMethod(ACC_PUBLIC | ACC_STATIC, "path", "(B)I", null, null);
        m.visitCode();
        Label from = new Label(), to = new Label(), handler = new Label(), sub = new Label(), done = new Label(), small = new Label(), back = new Label();
        m.visitTryCatchBlock(from, to, handler, null);
        m.visitInsn(ICONST_0);
        m.visitVarInsn(ISTORE, 1);
        m.visitLabel(from);
        m.visitIntInsn(BIPUSH, 10);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IDIV);
        m.visitInsn(ICONST_0);
        m.visitInsn(IAND);
        m.visitVarInsn(ISTORE, 1);
        m.visitLabel(to);
        m.visitJumpInsn(JSR, sub);
        m.visitJumpInsn(GOTO, done);
        m.visitLabel(handler);
        m.visitVarInsn(ASTORE, 2);
        m.visitJumpInsn(JSR, sub);
        m.visitVarInsn(ALOAD, 2);
        m.visitInsn(ATHROW);
        m.visitLabel(sub);
        m.visitVarInsn(ASTORE, 3);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(ICONST_5);
        m.visitJumpInsn(IF_ICMPLE, small);
        m.visitIincInsn(1, 100);
        m.visitJumpInsn(GOTO, back);
        m.visitLabel(small);
        m.visitIincInsn(1, 1);
        m.visitLabel(back);
        m.visitFieldInsn(GETSTATIC, "Finally", "count", "I");
        m.visitInsn(ICONST_1);
        m.visitInsn(IADD);
        m.visitFieldInsn(PUTSTATIC, "Finally", "count", "I");
        m.visitVarInsn(RET, 3);
        m.visitLabel(done);
        Label even = new Label();
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(ICONST_1);
        m.visitInsn(IAND);
        m.visitJumpInsn(IFEQ, even);
        m.visitVarInsn(ILOAD, 1);
        m.visitFieldInsn(GETSTATIC, "Constants", "TABLE", "[I");
        m.visitInsn(ICONST_1);
        m.visitInsn(IALOAD);
        m.visitInsn(IADD);
        m.visitVarInsn(ISTORE, 1);
        m.visitLabel(even);
        m.visitVarInsn(ILOAD, 1);
        m.visitInsn(IRETURN);
        m.visitMaxs(3, 4);
        m.visitEnd();
        c.visitEnd();
        return c.toByteArray();
    }

    /** An interface with code that runs when it is first used. */
    private static byte[] withConstants() {
        ClassWriter c = new ClassWriter(0);
        c.visit(V1_1, ACC_PUBLIC | ACC_INTERFACE | ACC_ABSTRACT, "Constants", null, "java/lang/Object", null);
        c.visitField(ACC_PUBLIC | ACC_STATIC | ACC_FINAL, "TABLE", "[I", null, null).visitEnd();
        MethodVisitor m = c.visitMethod(ACC_STATIC, "<clinit>", "()V", null, null);
        m.visitCode();
        m.visitInsn(ICONST_2);
        m.visitIntInsn(NEWARRAY, T_INT);
        m.visitInsn(DUP);
        m.visitInsn(ICONST_1);
        m.visitIntInsn(SIPUSH, 1000);
        m.visitInsn(IASTORE);
        m.visitFieldInsn(PUTSTATIC, "Constants", "TABLE", "[I");
        m.visitInsn(RETURN);
        m.visitMaxs(4, 0);
        m.visitEnd();
        c.visitEnd();
        return c.toByteArray();
    }
}
