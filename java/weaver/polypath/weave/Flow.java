package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.objectweb.asm.tree.*;

/**
 * Where control goes in the program's methods. Polypath makes a graph of it, to know how far the other side of a decision is from code that nobody
 * has covered. (It has no edges for exceptions but those that a method throws and catches itself, nor for what the library calls.)
 */
public final class Flow {
    private static Consumer<String> listener = text -> {};

    /** Hears of classes (their names and those right above) and of methods: a line for each part of a block, which ends behind a call. */
    public static void to(Consumer<String> l) {
        listener = l;
    }

    /** Text without what separates parts of it: names may have any characters. */
    static String word(String name) {
        StringBuilder word = null;
        for (int k = 0; k < name.length(); k++) {
            if (name.charAt(k) > ' ') continue;
            if (word == null) word = new StringBuilder(name);
            word.setCharAt(k, '?');
        }
        return word == null ? name : word.toString();
    }

    /** A class comes. */
    static void tell(ClassNode c) {
        StringBuilder text = new StringBuilder("class\t").append(word(c.name));
        if (c.superName != null) text.append('\t').append(word(c.superName));
        for (String above : c.interfaces) text.append('\t').append(word(above));
        listener.accept(text.toString());
    }

    private final World world;
    private final MethodNode method;
    private final int[] depths;
    private final Blocks blocks;
    private final String place;
    /** By instruction, what comes behind the number of the block in the line of the part that begins with it; null for none. */
    private final String[] rests;
    private final int[] lengths;
    /** By instruction, the number of the block that begins with it, -1 for none. */
    private final int[] sites;

    /** Of a method that nothing has woven yet. */
    Flow(World world, String place, MethodNode method, int[] depths, Blocks blocks) {
        this.world = world;
        this.method = method;
        this.depths = depths;
        this.blocks = blocks;
        this.place = place;
        rests = new String[depths.length];
        lengths = new int[depths.length];
        sites = new int[depths.length];
        Arrays.fill(sites, -1);
    }

    /** A counted block begins here. */
    void block(int instruction, int site) {
        sites[instruction] = site;
    }

    /** Finds the parts, before the method is woven. */
    void find(AbstractInsnNode[] all) {
        int begin = -1;
        int length = 0;
        for (int k = 0; k < all.length; k++) {
            if (all[k].getOpcode() < 0 || depths[k] < 0) continue;
            if (begin >= 0 && blocks.length(k) > 0) {
                part(begin, length, " " + k, "");
                begin = -1;
            }
            if (begin < 0) {
                begin = k;
                length = 0;
            }
            length++;
            String callee = callee(all[k]);
            String next = next(all[k], k, all);
            if (callee.isEmpty() && next == null) continue;
            if (next == null) {
                int behind = real(k + 1, all);
                next = behind < 0 ? "" : " " + behind;
            }
            part(begin, length, next, callee);
            begin = -1;
        }
    }

    private void part(int begin, int length, String next, String callee) {
        lengths[begin] = length;
        rests[begin] = next + callee;
    }

    /** Tells of each part: instruction, length, number of the block or -1, what follows (instructions, `return`), and what is called. */
    void tell() {
        StringBuilder text = new StringBuilder("flow\t").append(word(place));
        for (int k = 0; k < rests.length; k++) {
            if (rests[k] != null) text.append('\n').append(k).append(' ').append(lengths[k]).append(' ').append(sites[k]).append(rests[k]);
        }
        listener.accept(text.toString());
    }

    /** The first instruction from here on. */
    private int real(int k, AbstractInsnNode[] all) {
        while (k < all.length && all[k].getOpcode() < 0) k++;
        return k < all.length && depths[k] >= 0 ? k : -1;
    }

    private int real(LabelNode label, AbstractInsnNode[] all) {
        return real(method.instructions.indexOf(label), all);
    }

    /** Where an instruction leads that does not just go on; null if it does. A conditional jump leads to its target first. */
    private String next(AbstractInsnNode i, int k, AbstractInsnNode[] all) {
        int op = i.getOpcode();
        if (op >= IRETURN && op <= RETURN) return " return";
        List<Integer> next = new ArrayList<>();
        if (op == ATHROW) {
            for (TryCatchBlockNode t : method.tryCatchBlocks) {
                int from = method.instructions.indexOf(t.start);
                if (from <= k && k < method.instructions.indexOf(t.end)) next.add(real(t.handler, all));
            }
        } else if (i instanceof JumpInsnNode) {
            next.add(real(((JumpInsnNode) i).label, all));
            if (op != GOTO) next.add(real(k + 1, all));
        } else if (i instanceof TableSwitchInsnNode) {
            targets(((TableSwitchInsnNode) i).dflt, ((TableSwitchInsnNode) i).labels, next, all);
        } else if (i instanceof LookupSwitchInsnNode) {
            targets(((LookupSwitchInsnNode) i).dflt, ((LookupSwitchInsnNode) i).labels, next, all);
        } else {
            return null;
        }
        StringBuilder list = new StringBuilder();
        for (int to : next) if (to >= 0) list.append(' ').append(to);
        return list.toString();
    }

    private void targets(LabelNode other, List<LabelNode> labels, List<Integer> next, AbstractInsnNode[] all) {
        TreeSet<Integer> distinct = new TreeSet<>();
        for (LabelNode l : labels) distinct.add(real(l, all));
        distinct.add(real(other, all));
        next.addAll(distinct);
    }

    /** The method that a call may lead to if that is the program's: `=` one that is known, `~` one of many. */
    private String callee(AbstractInsnNode i) {
        if (!(i instanceof MethodInsnNode)) return "";
        MethodInsnNode call = (MethodInsnNode) i;
        boolean isProgram = world.info(call.owner) != null && world.counts(call.owner);
        boolean isFixed = call.getOpcode() == INVOKESTATIC || call.getOpcode() == INVOKESPECIAL;
        boolean mayBe = !isFixed && (call.itf || call.owner.equals("java/lang/Object"));
        if (!isProgram && !mayBe) return "";
        String kind = !isProgram ? " *" : isFixed ? " =" : " ~";
        return kind + word(call.owner) + "." + word(call.name + call.desc);
    }
}
