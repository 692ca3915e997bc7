// complete
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;

/** Methods that differ by their result alone, which reflection tells apart. */
public class Bridges {
    interface Make<T> { T make(byte x); }

    static class Text implements Make<String> {
        @Override
        public String make(byte x) { return x > 40 ? "large" : x == 7 ? "seven" : "other"; }
    }

    static class Number extends Text implements Comparable<Number> {
        final byte of;

        Number(byte of) { this.of = of; }

        @Override
        public int compareTo(Number other) { return of - other.of; }
    }

    static int path(byte a, boolean viaBridge) throws Exception {
        int result = 0;
        Method[] all = Text.class.getDeclaredMethods();
        // Their order is the JVM's choice.
        Arrays.sort(all, Comparator.comparing(Method::toString));
        for (Method m : all) {
            if (m.isBridge() == viaBridge) result += ((String) m.invoke(new Text(), a)).length();
        }
        Method order = Number.class.getMethod("compareTo", viaBridge ? Object.class : Number.class);
        return result + ((Integer) order.invoke(new Number(a), new Number((byte) 20)) < 0 ? 100 : 0);
    }
}
