package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.tree.*;

/**
 * The handlers of a method. Each begins with a look at what it caught, which passes the end of a run on ({@link polypath.RT#caught}). Compilers let
 * a handler cover its own beginning (javac does for `finally` and `synchronized`), where the look would catch what it passes on, for ever.
 */
final class Handlers {
    private final MethodNode method;
    private final Map<AbstractInsnNode, Integer> at = new HashMap<>();
    /** The handlers that cover the beginning of each. */
    private final Map<LabelNode, Set<LabelNode>> above = new HashMap<>();
    /** Behind the look of each that has one. */
    private final Map<LabelNode, LabelNode> looked = new HashMap<>();

    /** Those of a method that is not woven yet. */
    Handlers(MethodNode method) {
        this.method = method;
        for (AbstractInsnNode i : method.instructions) at.put(i, at.size());
        for (TryCatchBlockNode t : method.tryCatchBlocks) above.computeIfAbsent(t.handler, h -> new HashSet<>());
        for (Map.Entry<LabelNode, Set<LabelNode>> e : above.entrySet()) {
            for (TryCatchBlockNode t : method.tryCatchBlocks) if (covers(t, e.getKey())) e.getValue().add(t.handler);
        }
    }

    private boolean covers(TryCatchBlockNode t, LabelNode place) {
        return at.get(t.start) <= at.get(place) && at.get(place) < at.get(t.end) && !isEmpty(place, t.end);
    }

    private static boolean isEmpty(AbstractInsnNode from, AbstractInsnNode to) {
        for (AbstractInsnNode i = from; i != to; i = i.getNext()) if (i.getOpcode() >= 0) return false;
        return true;
    }

    /** Whether a handler that begins here only gives a lock back, and passes on whatever it caught, so that its look need not. */
    boolean unlocks(LabelNode handler) {
        for (AbstractInsnNode i = handler.getNext(); i != null; i = i.getNext()) {
            switch (i.getOpcode()) {
                case -1:
                case ASTORE:
                case ALOAD:
                    continue;
                case MONITOREXIT:
                    break;
                default:
                    return false;
            }
            AbstractInsnNode load = real(i.getNext());
            AbstractInsnNode last = load == null ? null : real(load.getNext());
            return load != null && last != null && load.getOpcode() == ALOAD && last.getOpcode() == ATHROW;
        }
        return false;
    }

    private static AbstractInsnNode real(AbstractInsnNode i) {
        while (i != null && i.getOpcode() < 0) i = i.getNext();
        return i;
    }

    /** The look of this handler ends before this label. */
    void looks(LabelNode handler, LabelNode end) {
        looked.put(handler, end);
    }

    /** When the method is woven: no look is covered by a handler from which what it throws could come back to it. */
    void release() {
        List<TryCatchBlockNode> all = new ArrayList<>();
        List<LabelNode> handlers = inOrder();
        for (TryCatchBlockNode t : method.tryCatchBlocks) {
            LabelNode from = t.start;
            for (LabelNode handler : handlers) {
                if (!above.get(handler).contains(t.handler) || !covers(t, handler) || !leadsTo(t.handler, handler, new HashSet<>())) continue;
                if (!isEmpty(from, handler)) all.add(part(t, from, handler));
                from = looked.get(handler);
            }
            all.add(part(t, from, t.end));
        }
        method.tryCatchBlocks = all;
    }

    private List<LabelNode> inOrder() {
        List<LabelNode> handlers = new ArrayList<>(looked.keySet());
        handlers.sort((a, b) -> at.get(a) - at.get(b));
        return handlers;
    }

    private boolean leadsTo(LabelNode from, LabelNode to, Set<LabelNode> seen) {
        if (from == to) return true;
        if (!seen.add(from)) return false;
        for (LabelNode next : above.get(from)) if (leadsTo(next, to, seen)) return true;
        return false;
    }

    private static TryCatchBlockNode part(TryCatchBlockNode of, LabelNode from, LabelNode to) {
        TryCatchBlockNode t = new TryCatchBlockNode(from, to, of.handler, of.type);
        t.visibleTypeAnnotations = of.visibleTypeAnnotations;
        t.invisibleTypeAnnotations = of.invisibleTypeAnnotations;
        return t;
    }
}
