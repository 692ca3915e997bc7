package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Type;
import org.objectweb.asm.tree.*;

/**
 * Methods of the library that look into objects past their methods: reflection, handles, serialization. But for fields and calls by reflection, they take no ids
 * along, and what they read or give on is no argument of theirs that {@link Calls} could see; so their calls count as losses where input
 * may be among it.
 */
final class Peeks {
    private Peeks() {}

    private enum What {
        NOTHING,
        /** Reads whatever it is told to. */
        ANYTHING,
        /** Makes code that takes boxes out. */
        CODE,
        /** Compares references, which may be boxes. */
        IDENTITY
    }

    private static What of(String owner, String name, String desc) {
        switch (owner) {
            case "java/lang/reflect/Proxy":
                return name.equals("newProxyInstance") ? What.CODE : What.NOTHING;
            case "java/lang/invoke/MethodHandle":
                return name.startsWith("invoke") ? What.ANYTHING : What.NOTHING;
            case "java/lang/invoke/VarHandle":
                return ofVariable(name, desc);
            case "java/io/ObjectOutputStream":
                return name.startsWith("write") ? What.ANYTHING : What.NOTHING;
            case "sun/misc/Unsafe":
                return What.ANYTHING;
            case "java/util/concurrent/atomic/AtomicReference":
            case "java/util/concurrent/atomic/AtomicReferenceArray":
            case "java/util/concurrent/atomic/AtomicMarkableReference":
            case "java/util/concurrent/atomic/AtomicStampedReference":
                return name.startsWith("compareAnd") || name.startsWith("weakCompareAnd") ? What.IDENTITY : What.NOTHING;
            default:
                return owner.startsWith("java/util/concurrent/atomic/") && owner.endsWith("FieldUpdater") && !name.equals("newUpdater")
                        ? What.ANYTHING : What.NOTHING;
        }
    }

    /** Of a variable handle: references are read and written as they are, and what else is written leaves the id of what was there. */
    private static What ofVariable(String name, String desc) {
        boolean compares = name.startsWith("compare") || name.startsWith("weakCompare");
        Type result = Type.getReturnType(desc);
        boolean reads = !compares && (Twins.isPrimitive(result) || isBox(result));
        boolean hasReference = false;
        for (Type t : Type.getArgumentTypes(desc)) {
            reads |= isBox(t) || Twins.isPrimitive(t);
            hasReference |= !Twins.isPrimitive(t);
        }
        if (reads) return What.ANYTHING;
        return compares && hasReference ? What.IDENTITY : What.NOTHING;
    }

    private static boolean isBox(Type t) {
        for (String name : new String[] {"Boolean", "Byte", "Character", "Short", "Integer", "Long", "Float", "Double"}) {
            if (t.getDescriptor().equals("Ljava/lang/" + name + ";")) return true;
        }
        return false;
    }

    private static final String FIELD = "java/lang/reflect/Field";
    private static final String OBJECT = "java/lang/Object";
    private static final String READ = "(L" + FIELD + ";L" + OBJECT + ";";

    /** Whether the call reads or writes a field by {@link java.lang.reflect.Field}, whose ids it then takes along. */
    static boolean ofField(MethodInsnNode m, Body b) {
        boolean reads = m.name.startsWith("get") && m.desc.startsWith("(L" + OBJECT + ";)");
        boolean writes = m.name.startsWith("set") && m.desc.startsWith("(L" + OBJECT + ";") && m.desc.endsWith(")V") && !m.desc.startsWith("(L" + OBJECT + ";)");
        if (!m.owner.equals(FIELD) || !reads && !writes) return false;
        Type result = Type.getReturnType(m.desc);
        Type value = writes ? Type.getArgumentTypes(m.desc)[1] : result;
        int first = b.depth - (Type.getArgumentsAndReturnSizes(m.desc) >> 2);
        int written = writes ? b.keep(value, 2) : 0;
        int object = b.keep(Type.getObjectType(OBJECT), 0);
        int field = b.keep(Type.getObjectType(FIELD), 1);
        b.add(new VarInsnNode(ALOAD, field));
        b.add(new VarInsnNode(ALOAD, object));
        if (writes && !Twins.isPrimitive(value)) {
            b.add(new VarInsnNode(ALOAD, field));
            b.add(new VarInsnNode(ALOAD, written));
            b.context();
            b.reflected("plain", "(L" + FIELD + ";L" + OBJECT + ";", "L" + OBJECT + ";");
        } else if (writes) {
            b.add(new VarInsnNode(value.getOpcode(ILOAD), written));
        }
        b.behind(() -> {
            b.add(new VarInsnNode(ALOAD, field));
            b.add(new VarInsnNode(ALOAD, object));
            if (!Twins.isPrimitive(value)) {
                if (writes) b.add(new VarInsnNode(ALOAD, written));
                if (writes) b.site("call");
                b.context();
                b.reflected(writes ? "putObject" : "gotObject", writes ? READ + "L" + OBJECT + ";I" : "(L" + OBJECT + ";" + READ.substring(1),
                        writes ? "V" : "L" + OBJECT + ";");
                return;
            }
            if (writes) b.id(first + 2);
            b.push(value.getDescriptor().charAt(0));
            b.site("call");
            b.context();
            b.reflected(writes ? "put" : "got", READ + (writes ? "III" : "II"), "V");
        });
        b.needs(6);
        if (reads && Twins.isPrimitive(value)) b.resultId(first);
        return true;
    }

    private static final String ARRAY = "(L" + OBJECT + ";II";

    /** Whether the call reads or writes an element of an array by {@link java.lang.reflect.Array}, whose id it then takes along. */
    static boolean ofArray(MethodInsnNode m, Body b) {
        boolean reads = m.name.startsWith("get") && m.desc.startsWith("(L" + OBJECT + ";I)");
        boolean writes = m.name.startsWith("set");
        if (!m.owner.equals("java/lang/reflect/Array") || !reads && !writes) return false;
        Type value = writes ? Type.getArgumentTypes(m.desc)[2] : Type.getReturnType(m.desc);
        int first = b.depth - (Type.getArgumentsAndReturnSizes(m.desc) >> 2) + 1;
        boolean isPrimitive = Twins.isPrimitive(value);
        int written = writes ? b.keep(value, 3) : 0;
        int index = b.keep(Type.INT_TYPE, 0);
        int array = b.keep(Type.getObjectType(OBJECT), 1);
        Runnable element = () -> {
            b.add(new VarInsnNode(ALOAD, array));
            b.add(new VarInsnNode(ILOAD, index));
            b.id(first + 1);
        };
        element.run();
        if (reads) {
            b.push(value.getDescriptor().charAt(0));
            b.site("call");
            b.context();
            b.reflected("element", ARRAY + "II", "I");
        } else {
            b.site("call");
            b.context();
            b.reflected("reach", ARRAY + "I", "V");
        }
        int read = reads ? b.keep(Type.INT_TYPE, 2) : 0;
        b.add(new VarInsnNode(ALOAD, array));
        b.add(new VarInsnNode(ILOAD, index));
        if (writes) b.add(new VarInsnNode(value.getOpcode(ILOAD), written));
        b.behind(() -> {
            if (reads && isPrimitive) {
                b.add(new VarInsnNode(ILOAD, read));
                b.context();
                b.reflected("got", "(I", "V");
            } else if (reads) {
                b.add(new VarInsnNode(ALOAD, array));
                b.add(new VarInsnNode(ILOAD, read));
                b.context();
                b.reflected("gotElement", "(L" + OBJECT + ";L" + OBJECT + ";I", "L" + OBJECT + ";");
            } else {
                element.run();
                if (isPrimitive) {
                    b.id(first + 2);
                    b.push(value.getDescriptor().charAt(0));
                } else {
                    b.add(new VarInsnNode(ALOAD, written));
                }
                b.site("call");
                b.context();
                b.reflected(isPrimitive ? "putElement" : "putBox", ARRAY + (isPrimitive ? "III" : "L" + OBJECT + ";I"), "V");
            }
        });
        b.needs(7);
        if (reads && isPrimitive) b.resultId(first);
        return true;
    }

    private static final String METHOD = "java/lang/reflect/Method";
    private static final String CONSTRUCTOR = "java/lang/reflect/Constructor";

    /** Whether the call is one by reflection: of the twin, with the ids of the arguments. */
    static boolean ofCall(MethodInsnNode m, Body b) {
        boolean invokes = m.owner.equals(METHOD) && m.name.equals("invoke");
        if (!invokes && !(m.owner.equals(CONSTRUCTOR) && m.name.equals("newInstance"))) return false;
        int arguments = b.keep(Type.getObjectType("[L" + OBJECT + ";"), 0);
        int object = invokes ? b.keep(Type.getObjectType(OBJECT), 1) : -1;
        int called = b.keep(Type.getObjectType(m.owner), 2);
        b.add(new VarInsnNode(ALOAD, called));
        if (invokes) b.add(new VarInsnNode(ALOAD, object));
        b.add(new VarInsnNode(ALOAD, arguments));
        // Access is checked for this class.
        b.add(new LdcInsnNode(Type.getObjectType(b.owner)));
        b.context();
        String type = "L" + m.owner + ";";
        String caller = "[L" + OBJECT + ";Ljava/lang/Class;";
        b.reflected("target", "(" + type + (invokes ? "L" + OBJECT + ";" : "") + caller, type);
        int target = b.keep(Type.getObjectType(m.owner), 3);
        b.add(new VarInsnNode(ALOAD, target));
        if (invokes) b.add(new VarInsnNode(ALOAD, object));
        b.add(new VarInsnNode(ALOAD, called));
        b.add(new VarInsnNode(ALOAD, target));
        b.add(new VarInsnNode(ALOAD, arguments));
        b.site("call");
        b.context();
        String executable = "Ljava/lang/reflect/Executable;";
        b.reflected("arguments", "(" + executable + executable + "[L" + OBJECT + ";I", "[L" + OBJECT + ";");
        b.behind(() -> {
            b.back();
            if (!invokes) return;
            b.add(new VarInsnNode(ALOAD, called));
            b.add(new VarInsnNode(ALOAD, target));
            b.context();
            b.reflected("result", "(L" + OBJECT + ";" + type + type, "L" + OBJECT + ";");
        });
        b.needs(7);
        return true;
    }

    /** Before a call of a method that is not woven. */
    static void count(MethodInsnNode m, Body b) {
        What what = of(m.owner, m.name, m.desc);
        // The JDK's own classes compare with what they have read themselves.
        if (what == What.NOTHING || what == What.IDENTITY && Jdk.isWoven(b.owner)) return;
        if (what == What.CODE) b.push(1);
        if (what != What.IDENTITY) b.push(Calls.LOST_CALL);
        b.site("call");
        b.context();
        if (what == What.CODE) b.rt("lost", "(III" + Twins.CTX_DESC + ")V");
        else if (what == What.IDENTITY) b.rt("identities", "(I" + Twins.CTX_DESC + ")V");
        else b.rt("opaque", "(II" + Twins.CTX_DESC + ")V");
    }

    /** `System.identityHashCode(o)`: two boxes of one value may be one object, or two. */
    static void identity(Body b) {
        b.op(DUP);
        b.site("call");
        b.context();
        b.rt("identity", "(Ljava/lang/Object;I" + Twins.CTX_DESC + ")V");
        b.clearId(b.depth - 1);
    }
}
