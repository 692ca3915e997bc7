import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;

/** Says things that weaving could change. The words are those of a plain JVM. */
public class Mirror {
    interface Shape {
        double area();

        default String name() {
            return getClass().getSimpleName();
        }
    }

    record Circle(double radius, int colour) implements Shape {
        @Override
        public double area() {
            return Math.PI * radius * radius;
        }
    }

    enum Size { SMALL, LARGE { @Override int factor() { return 2; } }; int factor() { return 1; } }

    static class Kept implements Serializable {
        int a;
        private long b;
        protected static boolean c;
        transient char d;
        String e;

        Kept() {}

        private Kept(int a, long b) {
            this.a = a;
            this.b = b;
        }

        Supplier<Integer> later() {
            return () -> a + 1;
        }

        synchronized long sum(byte x, long... more) {
            for (long m : more) b += m;
            return a + b + x;
        }
    }

    /** Its class is woven, the one above it is not, and the one above that is. */
    static class Queue extends LinkedBlockingQueue<Integer> {
        int asked;

        @Override
        public boolean offer(Integer x) {
            asked++;
            return super.offer(x);
        }
    }

    public static void main(String[] args) throws Exception {
        int first = System.in.read();
        for (Class<?> c : new Class<?>[] {Kept.class, Circle.class, Shape.class, Size.class, Queue.class, Mirror.class,
                String.class, Integer.class, ArrayList.class, byte[].class, int.class}) {
            mirror(c);
        }
        System.out.println(ObjectStreamClass.lookup(Kept.class).getSerialVersionUID());
        System.out.println(new Circle(2, 3) + " " + new Circle(2, 3).name() + " " + Size.LARGE.factor());
        Constructor<?> only = Circle.class.getDeclaredConstructors()[0];
        System.out.println(only.newInstance(1.5, 7));
        queue();
        charsets();
        if (first == 'x') System.out.println("x");
    }

    private static void mirror(Class<?> c) {
        System.out.println(c.toGenericString() + " " + Arrays.toString(c.getGenericInterfaces()) + " " + c.isSynthetic());
        say(c.getDeclaredFields());
        say(c.getDeclaredConstructors());
        // Lambdas are methods of their own on a plain JVM.
        say(Arrays.stream(c.getDeclaredMethods()).filter(m -> !m.isSynthetic() || m.isBridge()).toArray(Method[]::new));
        say(c.getMethods());
        say(c.getFields());
        say(c.getInterfaces());
    }

    private static void say(Object[] all) {
        List<String> words = new ArrayList<>();
        for (Object one : all) {
            boolean isAccess = one instanceof Member && ((Member) one).getName().startsWith("access$");
            words.add((one instanceof Field ? ((Field) one).toGenericString() : one.toString()) + (isAccess ? " access" : ""));
        }
        words.sort(null);
        for (String word : words) System.out.println("  " + word);
    }

    private static void queue() {
        Queue queue = new Queue();
        Collection<Integer> all = queue;
        all.add(3);
        all.addAll(List.of(4, 5));
        System.out.println(all + " " + queue.asked + " " + all.contains(4) + " " + all.remove(4) + " " + all.size() + " " + all.hashCode() % 1);
        all.removeIf(x -> x > 4);
        Collection<Integer> deque = new java.util.ArrayDeque<>(all);
        java.util.Comparator<Integer> order = (x, y) -> y - x;
        System.out.println((deque.hashCode() == deque.hashCode()) + " " + deque.equals(all) + " " + order.equals(order) + " " + order.equals(all));
        System.out.println(Arrays.toString(all.toArray(new Integer[0])) + " " + queue.poll() + " " + all.isEmpty());
    }

    private static void charsets() {
        for (Charset set : Charset.availableCharsets().values()) {
            if (!set.canEncode()) continue;
            byte[] bytes = "Hello, \u00e4 \u20ac".getBytes(set);
            System.out.println(set + " " + Arrays.toString(bytes) + " " + new String(bytes, set));
        }
    }
}
