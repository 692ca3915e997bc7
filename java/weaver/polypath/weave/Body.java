package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.*;
import polypath.RT;

/**
 * A method that is being woven: where the shadows are, and what is emitted around the instruction at hand.
 *
 * Locals of the woven method: the parameters, their ids and the context, the other locals of the original, a shadow for
 * each of its locals that holds primitives, a shadow for each word of its operand stack, and scratch. All shadows are
 * ints that are set to 0 at the start, so each frame of the original is extended by as many ints.
 *
 * A method that gets too long by that is woven in a *bare* form: there are no shadows, and what has an id and comes to
 * its values is lost. What it does to fields and arrays, which have ids of their own, is woven as elsewhere.
 */
final class Body {
    final World world;
    final String owner;
    final MethodNode method;
    private final String place;
    /** Words of the original's parameters, and how far its other locals move. */
    private final int parameters;
    private final int shift;
    private final int[] localShadow;
    private final int firstShadow;
    /** The local that keeps which block the caller is in ({@link polypath.Ctx#at}). */
    private final int calledAt;
    private final int stackShadow;
    private final int scratch;
    private int scratchWords;
    private int extraStack = 16;
    private final int oldLocals;
    private final int oldStack;
    private final int ctx;

    /** Words on the stack before the instruction at hand. */
    int depth;
    private InsnList out;
    private InsnList after;
    private boolean dropped;
    private final boolean counts;
    /** Whether loops are limited: those of the JDK, but for the start of a class, which happens once for all runs. */
    private final boolean turns;
    /** Whether the values on the stack and in locals have no ids. */
    private final boolean isBare;

    Body(World world, String owner, MethodNode method, boolean isTwin, boolean isBare) {
        this.world = world;
        this.isBare = isBare;
        this.owner = owner;
        this.method = method;
        counts = world.counts(owner) && !Lambdas.isAdded(owner, method.name);
        turns = !world.counts(owner) && !method.name.equals("<clinit>");
        boolean isStatic = (method.access & ACC_STATIC) != 0;
        place = owner + "." + method.name + method.desc;
        Type[] types = Type.getArgumentTypes(method.desc);
        int words = isStatic ? 0 : 1;
        oldLocals = method.maxLocals;
        oldStack = method.maxStack;
        localShadow = new int[oldLocals];
        Arrays.fill(localShadow, -1);
        for (Type t : types) words += t.getSize();
        parameters = words;
        int id = words;
        int at = isStatic ? 0 : 1;
        for (Type t : types) {
            if (isTwin && Twins.isPrimitive(t)) localShadow[at] = id++;
            at += t.getSize();
        }
        ctx = id;
        shift = ctx + 1 - parameters;
        firstShadow = Math.max(oldLocals, parameters) + shift;
        int next = firstShadow;
        for (AbstractInsnNode i : method.instructions) {
            int v = i instanceof IincInsnNode ? ((IincInsnNode) i).var
                    : i instanceof VarInsnNode && isPrimitive(i.getOpcode()) ? ((VarInsnNode) i).var : -1;
            if (!isBare && v >= 0 && localShadow[v] < 0) localShadow[v] = next++;
        }
        calledAt = next;
        stackShadow = counts ? next + 1 : next;
        scratch = isBare ? stackShadow : stackShadow + oldStack;
    }

    private static boolean isPrimitive(int op) {
        return op >= ILOAD && op <= DLOAD || op >= ISTORE && op <= DSTORE;
    }

    /** Whether a local of the original begins among the parameters and ends behind them: it cannot move. */
    boolean straddles() {
        for (AbstractInsnNode i : method.instructions) {
            int op = i.getOpcode();
            boolean wide = op == LLOAD || op == DLOAD || op == LSTORE || op == DSTORE;
            if (wide && ((VarInsnNode) i).var == parameters - 1) return true;
        }
        return false;
    }

    /** By local: which parameter it is, if that is an object; null where nobody wants to know when it is read. */
    private int[] readable;

    /** The method tells when it reads its parameters. */
    void tellReads() {
        readable = new int[parameters];
        Arrays.fill(readable, -1);
        Type[] types = Type.getArgumentTypes(method.desc);
        int at = (method.access & ACC_STATIC) != 0 ? 0 : 1;
        for (int k = 0; k < types.length; k++) {
            if (types[k].getSort() >= Type.ARRAY) readable[at] = k;
            at += types[k].getSize();
        }
    }

    /** A reference is about to be read from a local of the original. */
    void reads(int v) {
        if (readable == null || v >= parameters || readable[v] < 0) return;
        push(readable[v]);
        // Others of this name read parameters of their own.
        out.add(new LdcInsnNode(method.name + method.desc));
        context();
        rt("reads", "(ILjava/lang/String;" + Twins.CTX_DESC + ")V");
    }

    // ------------------------------------------------------------------ weaving

    /** Weaves the method in place; its description stays as it is. */
    void weave(boolean isTwin) {
        InsnList list = method.instructions;
        int[] depths = Depths.of(method);
        Blocks blocks = new Blocks(method, depths);
        AbstractInsnNode[] all = list.toArray();
        Map<LabelNode, LabelNode> births = births(all);
        Handlers handlers = new Handlers(method);
        LabelNode handler = null;
        boolean hasLock = false;
        int name = 0;
        Flow flow = counts ? new Flow(world, place, method, depths, blocks) : null;
        if (counts) flow.find(all);
        for (int k = 0; k < all.length; k++) {
            AbstractInsnNode i = all[k];
            if (i instanceof FrameNode) extend((FrameNode) i, births);
            if (i instanceof LabelNode && blocks.isHandler((LabelNode) i)) handler = (LabelNode) i;
            if (i instanceof Marks.Mark) name = ((Marks.Mark) i).name;
            if (i.getOpcode() < 0) continue;
            if (depths[k] >= 0) {
                depth = depths[k];
                InsnList before = out = new InsnList();
                after = new InsnList();
                dropped = false;
                // Behind the instruction itself, as the handler that gives the lock back covers only what follows.
                if (hasLock) back();
                hasLock = i.getOpcode() == MONITORENTER;
                // (The steps that it takes could end the run, and lead back to it.)
                boolean passes = handler != null && handlers.unlocks(handler);
                if (handler != null) {
                    out.add(new InsnNode(DUP));
                    context();
                    rt(passes ? "passed" : "caught", "(Ljava/lang/Throwable;" + Twins.CTX_DESC + ")V");
                    LabelNode end = new LabelNode();
                    out.add(end);
                    handlers.looks(handler, end);
                }
                int n = blocks.length(k);
                if (blocks.isLoop(k) && turns && !passes) {
                    context();
                    rt("turn", "(" + Twins.CTX_DESC + ")V");
                }
                if (n > 0 && counts && !passes) {
                    int number = site(k, "block " + n + " " + blocks.lines(k) + " " + blocks.line(k));
                    if (name != 0) RT.name(number, name);
                    flow.block(k, number);
                    push(number);
                    push(n);
                    context();
                    rt("block", "(II" + Twins.CTX_DESC + ")V");
                }
                if (isClassBegin() && i.getOpcode() == RETURN) {
                    context();
                    rt("classHasBegun", "(" + Twins.CTX_DESC + ")V");
                }
                if (counts && i.getOpcode() >= IRETURN && i.getOpcode() <= RETURN) {
                    context();
                    out.add(new VarInsnNode(ILOAD, calledAt));
                    out.add(new FieldInsnNode(PUTFIELD, Twins.CTX, "at", "I"));
                }
                at = k;
                line = blocks.line(k);
                Family family = Families.of(i.getOpcode());
                if (isBare) family.weaveBare(i, this);
                else family.weave(i, this);
                list.insert(i, after);
                list.insertBefore(i, before);
                if (i.getOpcode() == NEW && born.containsKey(i)) list.insertBefore(i, born.get(i));
                if (dropped) list.remove(i);
            }
            handler = null;
            name = 0;
            move(i);
        }
        if (counts) flow.tell();
        handlers.release();
        list.insert(start(isTwin));
        method.localVariables = names();
        method.maxLocals = scratch + scratchWords;
        method.maxStack = oldStack + extraStack;
        method.visibleLocalVariableAnnotations = null;
        method.invisibleLocalVariableAnnotations = null;
    }

    private int at;
    private int line;

    private boolean isClassBegin() {
        return counts && method.name.equals("<clinit>");
    }

    private InsnList start(boolean isTwin) {
        out = new InsnList();
        if (!isTwin) {
            rt("ctx", "()" + Twins.CTX_DESC);
            out.add(new VarInsnNode(ASTORE, ctx));
        }
        if (isClassBegin()) {
            context();
            rt("classBegins", "(" + Twins.CTX_DESC + ")V");
        }
        if (isTwin && (method.access & ACC_SYNCHRONIZED) != 0) back();
        for (int s = firstShadow; s < scratch; s++) {
            out.add(new InsnNode(ICONST_0));
            out.add(new VarInsnNode(ISTORE, s));
        }
        if (counts) {
            context();
            out.add(new FieldInsnNode(GETFIELD, Twins.CTX, "at", "I"));
            out.add(new VarInsnNode(ISTORE, calledAt));
        }
        if (isTwin && isBare) {
            for (int id = parameters; id < ctx; id++) {
                out.add(new VarInsnNode(ILOAD, id));
                lose();
            }
        }
        return out;
    }

    /**
     * The names of locals, which the JVM writes into the messages of null pointer exceptions. Where the author's compiler has left none, it says the number, and
     * that is to be the original's. (Those of parameters stay what they are.)
     */
    private List<LocalVariableNode> names() {
        List<LocalVariableNode> names = new ArrayList<>();
        if (method.localVariables != null) names.addAll(method.localVariables);
        for (LocalVariableNode name : names) name.index = moved(name.index);
        // The JDK's own classes have theirs.
        if (!world.counts(owner)) return names;
        LabelNode first = new LabelNode();
        LabelNode last = new LabelNode();
        method.instructions.insert(first);
        method.instructions.add(last);
        for (int v = parameters; v < oldLocals; v++) {
            names.add(new LocalVariableNode("<local" + v + ">", "I", null, first, last, moved(v)));
        }
        return names;
    }

    private int moved(int v) {
        return v < parameters ? v : v + shift;
    }

    private void move(AbstractInsnNode i) {
        if (i instanceof VarInsnNode) ((VarInsnNode) i).var = moved(((VarInsnNode) i).var);
        else if (i instanceof IincInsnNode) ((IincInsnNode) i).var = moved(((IincInsnNode) i).var);
    }

    /** Labels right before each NEW, by which frames name the object that it makes, and what stands for those of the original. */
    private Map<LabelNode, LabelNode> births(AbstractInsnNode[] all) {
        Map<LabelNode, LabelNode> births = new HashMap<>();
        for (AbstractInsnNode i : all) {
            if (i.getOpcode() != NEW) continue;
            LabelNode label = new LabelNode();
            born.put(i, label);
            for (AbstractInsnNode p = i.getPrevious(); p != null && p.getOpcode() < 0; p = p.getPrevious()) {
                if (p instanceof LabelNode) births.put((LabelNode) p, label);
            }
        }
        return births;
    }

    private final Map<AbstractInsnNode, LabelNode> born = new HashMap<>();

    private void extend(FrameNode f, Map<LabelNode, LabelNode> births) {
        f.stack = renamed(f.stack, births);
        f.local = renamed(f.local, births);
        Object[] slots = new Object[Math.max(oldLocals, parameters)];
        Arrays.fill(slots, TOP);
        int at = 0;
        for (Object type : f.local) {
            slots[at] = type;
            at += type == LONG || type == DOUBLE ? 2 : 1;
        }
        ArrayList<Object> local = new ArrayList<>();
        for (int v = 0; v < slots.length; v++) {
            if (v == parameters) addIds(local);
            local.add(slots[v]);
            if (slots[v] == LONG || slots[v] == DOUBLE) v++;
        }
        if (slots.length <= parameters) addIds(local);
        for (int s = firstShadow; s < scratch; s++) local.add(INTEGER);
        f.local = local;
        f.type = F_NEW;
    }

    private static List<Object> renamed(List<Object> types, Map<LabelNode, LabelNode> births) {
        List<Object> renamed = new ArrayList<>();
        if (types != null) for (Object type : types) renamed.add(births.containsKey(type) ? births.get(type) : type);
        return renamed;
    }

    private void addIds(List<Object> local) {
        for (int k = parameters; k < ctx; k++) local.add(INTEGER);
        local.add(Twins.CTX);
    }

    // ------------------------------------------------------------------ what families emit

    void op(int opcode) {
        out.add(new InsnNode(opcode));
    }

    void add(AbstractInsnNode i) {
        out.add(i);
    }

    void context() {
        out.add(new VarInsnNode(ALOAD, ctx));
    }

    void rt(String name, String desc) {
        out.add(new MethodInsnNode(INVOKESTATIC, "polypath/RT", name, desc, false));
    }

    /** Other threads can have had a turn ({@link polypath.Threads}). */
    void back() {
        context();
        rt("back", "(" + Twins.CTX_DESC + ")V");
    }

    /** A call of {@link polypath.Reflected}: the parameters before the context, and the result. */
    void reflected(String name, String parameters, String result) {
        out.add(new MethodInsnNode(INVOKESTATIC, "polypath/Reflected", name, parameters + Twins.CTX_DESC + ")" + result, false));
    }

    void push(int n) {
        if (n >= -1 && n <= 5) out.add(new InsnNode(ICONST_0 + n));
        else if (n == (short) n) out.add(new IntInsnNode(n == (byte) n ? BIPUSH : SIPUSH, n));
        else out.add(new LdcInsnNode(n));
    }

    /** Pushes the id of the value that begins at this word of the stack. */
    void id(int word) {
        if (isBare) push(0);
        else out.add(new VarInsnNode(ILOAD, stackShadow + word));
    }

    /** Pops an id for the value that begins at this word. */
    void setId(int word) {
        if (isBare) lose();
        else out.add(new VarInsnNode(ISTORE, stackShadow + word));
    }

    void clearId(int word) {
        if (isBare) return;
        push(0);
        setId(word);
    }

    /** Pops an id that a value of a bare method would have. */
    private void lose() {
        bareSite();
        context();
        rt("bare", "(II" + Twins.CTX_DESC + ")V");
    }

    /** Pushes the number of the place that a bare method has: one for all of it, as its code is to be short. */
    void bareSite() {
        push(site(0, "bare 0"));
    }

    /** Pushes the id of a local of the original. */
    void localId(int v) {
        out.add(new VarInsnNode(ILOAD, localShadow[v]));
    }

    void setLocalId(int v) {
        out.add(new VarInsnNode(ISTORE, localShadow[v]));
    }

    /** The local of the original, by its number in the woven method. */
    int local(int v) {
        return moved(v);
    }

    /** Pushes the number of the instruction's place. */
    void site(String what) {
        push(site(at, what + " " + line));
    }

    private int site(int k, String what) {
        return Sites.number(world, place, k, what);
    }

    /** Emits from here on behind the instruction. */
    void behind() {
        out = after;
    }

    /** Emits this behind the instruction. */
    void behind(Runnable code) {
        InsnList before = out;
        out = after;
        code.run();
        out = before;
    }

    /** The instruction itself goes. */
    void drop() {
        dropped = true;
    }

    /** In check mode the value that the instruction leaves at this word is sent with its id. */
    void check(int word, char kind) {
        if (!world.checks || isBare) return;
        boolean wide = kind == 'J' || kind == 'D';
        after.add(new InsnNode(wide ? DUP2 : DUP));
        after.add(new VarInsnNode(ILOAD, stackShadow + word));
        after.add(new IntInsnNode(BIPUSH, kind));
        after.add(new VarInsnNode(ALOAD, ctx));
        char type = "JFD".indexOf(kind) >= 0 ? kind : 'I';
        after.add(new MethodInsnNode(INVOKESTATIC, "polypath/RT", "check", "(" + type + "II" + Twins.CTX_DESC + ")V", false));
    }

    /** Behind the instruction: the id of its result is that which the context has. */
    void resultId(int word) {
        InsnList before = out;
        out = after;
        context();
        out.add(new FieldInsnNode(GETFIELD, Twins.CTX, "ret", "I"));
        setId(word);
        out = before;
    }

    /** Pops a value into scratch words, and gives their place. */
    int keep(Type type, int offset) {
        int v = scratch + offset;
        scratchWords = Math.max(scratchWords, offset + type.getSize());
        out.add(new VarInsnNode(type.getOpcode(ISTORE), v));
        return v;
    }

    /** Room for so many words on the stack beside those of the original. */
    void needs(int words) {
        extraStack = Math.max(extraStack, words + 4);
    }
}
