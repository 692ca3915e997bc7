// complete
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.Function;

public class Generics {
    static final class Pair<A extends Comparable<A>, B> implements Comparable<Pair<A, B>>, Iterable<A> {
        final A first;
        final B second;

        Pair(A first, B second) { this.first = first; this.second = second; }

        <C extends Comparable<C>> Pair<C, B> map(Function<? super A, ? extends C> f) { return new Pair<>(f.apply(first), second); }

        @Override
        public int compareTo(Pair<A, B> other) { return first.compareTo(other.first); }

        @Override
        public Iterator<A> iterator() { ArrayDeque<A> all = new ArrayDeque<>(); all.add(first); return all.iterator(); }
    }

    static int path(byte a, byte b) {
        Pair<Integer, String> p = new Pair<>((int) a, "x");
        if (p.map(n -> n + 0.5).first == 7.5) return 1;
        if (p.compareTo(new Pair<>((int) b, null)) == 0) return 2;
        for (int n : p) if (n == -3) return 3;
        return Optional.of(b).filter(n -> n > 120).map(n -> n - 121).orElse(9) == 0 ? 4 : 5;
    }
}
