package rehearsal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.sosy_lab.sv_benchmarks.Verifier;

/**
 * What a JVM runs once when the kit is made, so that the classes which any program needs (ours and the JDK's) are kept in the
 * form in which a JVM has them in memory. It is woven and run as a program of a user.
 */
public final class Rehearsal {
    private Rehearsal() {}

    interface Shape {
        int area();
    }

    static final class Square implements Shape {
        private final int side;

        Square(int side) {
            this.side = side;
        }

        @Override
        public int area() {
            return side * side;
        }
    }

    enum Kind { SMALL, LARGE }

    public static void main(String[] args) {
        int n = Verifier.nondetInt();
        List<Integer> numbers = new ArrayList<>();
        Map<String, Shape> shapes = new HashMap<>();
        IntUnaryOperator twice = x -> 2 * x;
        int[] table = {3, 1, 2};
        Arrays.sort(table);
        if (n > 3) {
            numbers.add(twice.applyAsInt(n));
            shapes.put("one " + n, new Square(n));
        }
        StringBuilder text = new StringBuilder();
        for (int number : numbers) text.append(number).append(' ');
        switch (Kind.values()[table[0] & 1]) {
            case SMALL -> text.append("small");
            default -> text.append("large");
        }
        try {
            if (text.toString().equals("no")) throw new IllegalStateException(text.toString());
            System.out.println(String.format("%s %d", text, shapes.size()));
        } catch (RuntimeException e) {
            System.out.println(e.getMessage());
        }
    }
}
