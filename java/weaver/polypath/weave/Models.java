package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.*;
import polypath.Wire;

/**
 * Methods whose calls are replaced: input, assumptions, the end of the program, and natives that copy arrays. To add one:
 * a line in the table.
 */
final class Models {
    private Models() {}

    private static final String OBJECT = "Ljava/lang/Object;";
    /** A text, its digits as a long, its exponent, and what is known of both. */
    private static final String DECIMAL = "Ljava/lang/String;JIIII";
    private static final Map<String, BiConsumer<MethodInsnNode, Body>> TABLE = new HashMap<>();

    /** In the order of their numbers from {@link Wire#FUNCTION} on. The JVM or native code computes them; only `StrictMath.exp` is woven. */
    private static final String[] FUNCTIONS = {
        "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "expm1", "log", "log10", "log1p",
    };

    static {
        TABLE.put("java/lang/System.exit(I)V", (m, b) -> replaced(b, "exit", "(I" + Twins.CTX_DESC + ")V"));
        TABLE.put("java/lang/Runtime.exit(I)V", (m, b) -> exit(b));
        TABLE.put("java/lang/Runtime.halt(I)V", (m, b) -> exit(b));
        TABLE.put("java/lang/System.arraycopy(" + OBJECT + "I" + OBJECT + "II)V", (m, b) -> {
            b.id(b.depth - 4);
            b.id(b.depth - 2);
            b.id(b.depth - 1);
            b.site("copy");
            replaced(b, "arraycopy", "(" + OBJECT + "I" + OBJECT + "IIIIII" + Twins.CTX_DESC + ")V");
        });
        for (String type : new String[] {"java/lang/Float.floatToRawIntBits(F)I", "java/lang/Float.intBitsToFloat(I)F",
                "java/lang/Double.doubleToRawLongBits(D)J", "java/lang/Double.longBitsToDouble(J)D"}) {
            // The same bits under another type: the id stays.
            TABLE.put(type, (m, b) -> {});
        }
        functions();
        TABLE.put("java/lang/NullPointerException.getExtendedNPEMessage()Ljava/lang/String;",
                (m, b) -> b.behind(() -> b.rt("plain", "(Ljava/lang/String;)Ljava/lang/String;")));
        TABLE.put("java/lang/System.identityHashCode(" + OBJECT + ")I", (m, b) -> {
            if (!Jdk.isWoven(b.owner)) unsteady(b);
            Peeks.identity(b);
        });
        world();
        TABLE.put("polypath/RT.depends(I)I", (m, b) -> Boxes.depends(b, 1));
        TABLE.put("polypath/RT.depends(J)I", (m, b) -> Boxes.depends(b, 2));
        TABLE.put("polypath/RT.depends([B)Z", (m, b) -> {
            replaced(b, "depends", "([B" + Twins.CTX_DESC + ")Z");
            b.clearId(b.depth - 1);
        });
        TABLE.put("polypath/RT.depends(Ljava/lang/String;)Z", (m, b) -> {
            replaced(b, "depends", "(Ljava/lang/String;" + Twins.CTX_DESC + ")Z");
            b.clearId(b.depth - 1);
        });
        TABLE.put("polypath/RT.decimal(" + DECIMAL + ")D", (m, b) -> decimal(m, b));
        TABLE.put("polypath/RT.decimalFloat(" + DECIMAL + ")F", (m, b) -> decimal(m, b));
        TABLE.put("java/lang/StringLatin1.equals([B[B)Z", (m, b) -> {
            b.site("equal");
            replaced(b, "equal", "([B[BI" + Twins.CTX_DESC + ")Z");
            b.clearId(b.depth - 2);
        });
        TABLE.put("polypath/RT.share(" + OBJECT + "I)V", (m, b) -> Boxes.share(b, 1));
        TABLE.put("polypath/RT.share(" + OBJECT + "J)V", (m, b) -> Boxes.share(b, 2));
        String own = "polypath/Symbolic.";
        for (String type : new String[] {"Z boolean", "B byte", "S short", "C char", "I int", "J long", "F float", "D double"}) {
            char kind = type.charAt(0);
            TABLE.put(own + type.substring(2) + "Value(Ljava/lang/String;)" + kind, (m, b) -> symbol(kind, b.depth - 1, b));
        }
        TABLE.put(own + "bytes(Ljava/lang/String;I)[B", (m, b) -> symbols(b, "symbolicBytes", "[B"));
        TABLE.put(own + "chars(Ljava/lang/String;I)[C", (m, b) -> symbols(b, "symbolicChars", "[C"));
        TABLE.put(own + "ints(Ljava/lang/String;I)[I", (m, b) -> symbols(b, "symbolicInts", "[I"));
        TABLE.put(own + "length(Ljava/lang/String;I)I", (m, b) -> {
            symbols(b, "symbolicLength", "I");
            b.clearId(b.depth - 2);
        });
        TABLE.put(own + "string(Ljava/lang/String;I)Ljava/lang/String;", (m, b) -> string(b));
        TABLE.put(own + "leavesOut()V", (m, b) -> leavesOut(b));
        TABLE.put(own + "assume(Z)V", (m, b) -> assume(b));
    }

    /**
     * What the world answers. Locks and queues of the library ask for the time where the program gives them one to wait, and
     * the library's seeds are the program's where it makes a generator.
     */
    private static void world() {
        for (String type : new String[] {"java/lang/System.currentTimeMillis()J", "java/lang/System.nanoTime()J",
                "jdk/internal/misc/VM.getNanoTimeAdjustment(J)J"}) {
            TABLE.put(type, (m, b) -> {
                if (!b.owner.startsWith("java/util/concurrent/")) unsteady(b);
                b.clearId(m.desc.startsWith("()") ? b.depth : b.depth - 2);
            });
        }
        for (String owner : new String[] {"java/lang/Math", "java/lang/StrictMath"}) {
            TABLE.put(owner + ".random()D", (m, b) -> {
                unsteady(b);
                b.clearId(b.depth);
            });
        }
        String text = "Ljava/lang/String;";
        for (String name : new String[] {"getenv", "getProperty"}) {
            TABLE.put("java/lang/System." + name + "(" + text + ")" + text, (m, b) -> {
                if (Jdk.isWoven(b.owner)) return;
                b.behind(() -> {
                    b.site("call");
                    b.context();
                    b.rt("found", "(" + text + "I" + Twins.CTX_DESC + ")" + text);
                });
            });
        }
    }

    /** Random numbers that the library makes from seeds of its own. (`Collections` keeps the one with which it shuffles.) */
    private static boolean isRandom(MethodInsnNode m) {
        if (m.owner.equals("java/security/SecureRandom")) return m.name.equals("<init>") || m.name.startsWith("getInstance");
        return m.owner.equals("java/util/UUID") && m.name.equals("randomUUID")
                || m.owner.equals("java/util/concurrent/ThreadLocalRandom") && m.name.equals("current")
                || m.owner.equals("java/util/SplittableRandom") && m.desc.equals("()V")
                || m.owner.equals("java/util/Collections") && m.name.equals("shuffle") && m.desc.equals("(Ljava/util/List;)V")
                || m.owner.equals("java/util/random/RandomGenerator") && m.getOpcode() == INVOKESTATIC
                || m.owner.equals("java/util/random/RandomGeneratorFactory") && m.name.equals("create") && m.desc.startsWith("()");
    }

    private static void unsteady(Body b) {
        b.site("call");
        b.context();
        b.rt("unsteady", "(I" + Twins.CTX_DESC + ")V");
    }

    /** Functions that are one operation: exact ones, and those that the JVM has a value of which no other code computes. */
    private static void functions() {
        String[] math = {"java/lang/Math.", "java/lang/StrictMath."};
        for (String owner : math) {
            TABLE.put(owner + "sqrt(D)D", (m, b) -> Conversions.unary(b, Wire.SQRT, 'D', 'D'));
            TABLE.put(owner + "floor(D)D", (m, b) -> Conversions.unary(b, Wire.FLOOR, 'D', 'D'));
            TABLE.put(owner + "ceil(D)D", (m, b) -> Conversions.unary(b, Wire.CEIL, 'D', 'D'));
            TABLE.put(owner + "rint(D)D", (m, b) -> Conversions.unary(b, Wire.RINT, 'D', 'D'));
            for (int k = 0; k < 4; k++) {
                char type = "IJFD".charAt(k);
                int nth = k;
                TABLE.put(owner + "abs(" + type + ")" + type, (m, b) -> Conversions.unary(b, nth < 2 ? Wire.ABS : Wire.FLOAT_ABS, type, type));
                TABLE.put(owner + "min(" + type + type + ")" + type, (m, b) -> Arithmetic.binary(b, Wire.MIN + nth, type));
                TABLE.put(owner + "max(" + type + type + ")" + type, (m, b) -> Arithmetic.binary(b, Wire.MAX + nth, type));
            }
        }
        for (int k = 0; k < FUNCTIONS.length; k++) {
            int op = Wire.FUNCTION + k;
            // (The others lead from Math to StrictMath.)
            boolean isOfMath = Set.of("sin", "cos", "tan", "exp", "log", "log10").contains(FUNCTIONS[k]);
            if (isOfMath) TABLE.put(math[0] + FUNCTIONS[k] + "(D)D", (m, b) -> approximate(op, b));
            if (!FUNCTIONS[k].equals("exp")) TABLE.put(math[1] + FUNCTIONS[k] + "(D)D", (m, b) -> approximate(op, b));
        }
        TABLE.put(math[1] + "atan2(DD)D", (m, b) -> Arithmetic.approximate(Wire.ATAN2, b));
        TABLE.put("java/lang/Math.pow(DD)D", (m, b) -> Arithmetic.power(b));
    }

    /** A number in text: its id is the context's result. */
    private static void decimal(MethodInsnNode m, Body b) {
        b.id(b.depth - 6);
        b.id(b.depth - 4);
        replaced(b, m.name, "(" + DECIMAL + "II" + Twins.CTX_DESC + ")" + Type.getReturnType(m.desc));
        b.context();
        b.add(new FieldInsnNode(GETFIELD, Twins.CTX, "ret", "I"));
        b.setId(b.depth - 7);
    }

    /** The JVM's own form of a function is called. */
    private static void approximate(int op, Body b) {
        int word = b.depth - 2;
        b.id(word);
        b.push(op);
        b.site("call");
        b.context();
        b.rt("approximate", "(III" + Twins.CTX_DESC + ")I");
        b.setId(word);
    }

    /** Whether the call has a model, which it then got. */
    static boolean weave(MethodInsnNode m, Body b) {
        if (m.owner.startsWith("[") && m.name.equals("clone")) {
            // The JVM's own makes it, which has words for null.
            b.op(DUP);
            b.add(new MethodInsnNode(INVOKEVIRTUAL, m.owner, m.name, m.desc, false));
            b.op(DUP_X1);
            replaced(b, "copied", "(" + OBJECT + OBJECT + Twins.CTX_DESC + ")V");
            b.needs(3);
            return true;
        }
        if (m.owner.equals("jdk/internal/misc/Unsafe") && m.name.contains("Reference")) {
            return reference(m, b);
        }
        if (isRandom(m) && !Jdk.isWoven(b.owner)) unsteady(b);
        Environs.look(m, b);
        BiConsumer<MethodInsnNode, Body> model = TABLE.get(m.owner + "." + m.name + m.desc);
        if (model != null) model.accept(m, b);
        else if (StandIns.has(m.owner)) StandIns.check(m, b);
        return model != null;
    }

    private static final String ACCESS = "jdk/internal/misc/ScopedMemoryAccess";
    private static final String LANG = "jdk/internal/access/JavaLangAccess";
    private static final String STRING = "java/lang/String";
    private static final String LONG = "java/lang/Long";
    private static final String CHANNELS = "java/nio/channels/";
    private static final Set<String> TEXTS = Set.of("decodeASCII", "inflateBytesToChars", "getUTF16Char",
            "uncheckedDecodeASCII", "uncheckedInflateBytesToChars", "uncheckedGetUTF16Char");
    private static final String CHANNEL_READS = "polypath/ChannelReads";
    /** Where our other classes are that calls are led to. */
    private static final String OURS = "jdk/internal/util/";

    /** Calls that are led to woven code of ours, with the object as the first argument. */
    static void redirect(MethodInsnNode m, Body b) {
        boolean isOurs = b.owner.equals(OURS + "HeapBytes") || b.owner.equals(OURS + "Texts") || b.owner.equals(CHANNEL_READS);
        if (m.getOpcode() == INVOKESTATIC || m.getOpcode() == INVOKESPECIAL || isOurs) return;
        if (m.owner.equals(ACCESS) && m.name.endsWith("Unaligned")) lead(m, ACCESS, OURS + "HeapBytes");
        else if (m.owner.equals(LANG) && TEXTS.contains(m.name)) lead(m, LANG, OURS + "Texts");
        else if (m.owner.equals(LANG) && isOpen(STRING, m.name)) into(STRING, m, b);
        else if (m.owner.equals(LANG) && isOpen(LONG, m.name)) into(LONG, m, b);
        else if (m.owner.startsWith(CHANNELS) && m.name.equals("read") && m.desc.equals("(Ljava/nio/ByteBuffer;)I")) {
            lead(m, CHANNELS + "ReadableByteChannel", CHANNEL_READS);
        } else if (m.owner.equals(CHANNELS + "FileChannel") && m.name.equals("read") && m.desc.equals("(Ljava/nio/ByteBuffer;J)I")) {
            lead(m, m.owner, CHANNEL_READS);
        }
    }

    /** Whether it is a method of the library that others call by way of {@link jdk.internal.access.JavaLangAccess}: its twin is public. */
    static boolean isOpen(String owner, String name) {
        if (owner.equals(LONG)) return name.equals("fastUUID");
        return owner.equals(STRING) && (name.equals("newStringNoRepl") || name.equals("getBytesNoRepl"));
    }

    /** The call goes to the static method of this class that it leads to: the object below the two arguments is dropped, and their ids stay. */
    private static void into(String owner, MethodInsnNode m, Body b) {
        Type[] types = Type.getArgumentTypes(m.desc);
        int second = b.keep(types[1], 0);
        int first = b.keep(types[0], 2);
        b.op(POP);
        b.add(new VarInsnNode(types[0].getOpcode(ILOAD), first));
        b.add(new VarInsnNode(types[1].getOpcode(ILOAD), second));
        m.setOpcode(INVOKESTATIC);
        m.owner = owner;
        m.itf = false;
    }

    /** The call goes to the static method of this name that another class has, with the object as an argument of this type. */
    private static void lead(MethodInsnNode m, String object, String to) {
        m.setOpcode(INVOKESTATIC);
        m.desc = "(L" + object + ";" + m.desc.substring(1);
        m.owner = to;
        m.itf = false;
    }

    /** A reference at an offset that may depend on input: that is one value of many, and then nothing is lost. */
    private static boolean reference(MethodInsnNode m, Body b) {
        Type[] types = Type.getArgumentTypes(m.desc);
        if (types.length < 2 || types[1] != Type.LONG_TYPE) return false;
        for (int k = 2; k < types.length; k++) if (types[k].getSort() != Type.OBJECT) return false;
        int[] kept = new int[types.length];
        for (int k = types.length - 1; k > 1; k--) kept[k] = b.keep(types[k], k - 2);
        b.op(DUP2);
        b.id(b.depth - types.length);
        b.site("offset");
        b.context();
        b.rt("offset", "(JII" + Twins.CTX_DESC + ")V");
        for (int k = 2; k < types.length; k++) b.add(new VarInsnNode(ALOAD, kept[k]));
        if (Twins.isPrimitive(Type.getReturnType(m.desc))) b.clearId(b.depth - types.length - 2);
        return true;
    }

    /** Methods that only Object declares, called on an object of any class. */
    static boolean ofObject(MethodInsnNode m, Body b) {
        if (m.getOpcode() == INVOKESPECIAL || m.getOpcode() == INVOKESTATIC) return false;
        String member = m.name + m.desc;
        int word;
        if (member.equals("hashCode()I")) {
            word = b.depth - 1;
            if (Environs.isTable(b.owner)) {
                replaced(b, "tableHash", "(" + OBJECT + Twins.CTX_DESC + ")I");
            } else {
                b.site("call");
                replaced(b, "hash", "(" + OBJECT + "I" + Twins.CTX_DESC + ")I");
            }
        } else if (member.equals("equals(" + OBJECT + ")Z")) {
            word = b.depth - 2;
            replaced(b, "equal", "(" + OBJECT + OBJECT + Twins.CTX_DESC + ")Z");
        } else {
            return false;
        }
        b.context();
        b.add(new FieldInsnNode(GETFIELD, Twins.CTX, "ret", "I"));
        b.setId(word);
        return true;
    }

    private static void replaced(Body b, String name, String desc) {
        b.context();
        b.rt(name, desc);
        b.drop();
    }

    private static void exit(Body b) {
        int v = b.keep(Type.INT_TYPE, 0);
        b.op(POP);
        b.add(new VarInsnNode(ILOAD, v));
        replaced(b, "exit", "(I" + Twins.CTX_DESC + ")V");
    }

    /** The name is on the stack; the value goes to this word. */
    private static void symbol(char kind, int word, Body b) {
        b.push(kind);
        replaced(b, "symbol", "(Ljava/lang/String;I" + Twins.CTX_DESC + ")J");
        // Before anything else is called: the JVM may run woven code to link a native method.
        b.context();
        b.add(new FieldInsnNode(GETFIELD, Twins.CTX, "ret", "I"));
        b.setId(word);
        if (kind == 'D') b.add(new MethodInsnNode(INVOKESTATIC, "java/lang/Double", "longBitsToDouble", "(J)D", false));
        else if (kind != 'J') b.op(L2I);
        if (kind == 'F') b.add(new MethodInsnNode(INVOKESTATIC, "java/lang/Float", "intBitsToFloat", "(I)F", false));
    }

    /** What the program gets is not all that there is. */
    private static void leavesOut(Body b) {
        b.push(1);
        b.push(Calls.LOST_INPUT);
        b.site("input");
        b.context();
        b.rt("lost", "(III" + Twins.CTX_DESC + ")V");
        b.drop();
    }

    /** A string of input, made by the woven constructor of its characters. */
    private static void string(Body b) {
        String type = "java/lang/String";
        symbols(b, "symbolicText", "[C");
        int v = b.keep(Type.getObjectType("[C"), 0);
        b.add(new TypeInsnNode(NEW, type));
        b.op(DUP);
        b.add(new VarInsnNode(ALOAD, v));
        b.context();
        b.add(new MethodInsnNode(INVOKESPECIAL, type, "<init>", Twins.desc("([C)V"), false));
    }

    private static void symbols(Body b, String name, String type) {
        b.id(b.depth - 1);
        b.site("size");
        replaced(b, name, "(Ljava/lang/String;III" + Twins.CTX_DESC + ")" + type);
    }

    private static void assume(Body b) {
        b.id(b.depth - 1);
        b.site("assume");
        replaced(b, "assume", "(III" + Twins.CTX_DESC + ")V");
    }
}
