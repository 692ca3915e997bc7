import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Parameters whose types are the library's. */
public class Library {
    static int any(Object o) {
        if (o instanceof String && o.equals("key")) return 1;
        if (o instanceof Integer && (Integer) o == 77777) return 2;
        return o == null ? 3 : 4;
    }

    static int any(String s) {
        return 5;
    }

    static <T extends Comparable<? super T>> int order(T a, T b) {
        if (a == null || b == null || a.getClass() != b.getClass()) return 0;
        return a.compareTo(b) < 0 ? 1 : a.compareTo(b) == 0 ? 2 : 3;
    }

    static int text(CharSequence s) {
        return s != null && s.length() == 3 && s.charAt(1) == 'q' ? 1 : 0;
    }

    static int sum(BigDecimal d) {
        return d != null && d.compareTo(new BigDecimal("12.34")) == 0 ? 1 : 0;
    }

    static int bytes(InputStream in) throws IOException {
        return in != null && in.read() == 'P' && in.read() == 'K' ? 1 : 0;
    }

    static int line(Reader r) throws IOException {
        return r != null && r.read() == 'x' && r.read() < 0 ? 1 : 0;
    }

    static int day(LocalDate d, DayOfWeek w) {
        return d != null && d.getYear() == 2024 && d.getMonthValue() == 2 && d.getDayOfMonth() == 29 && w == DayOfWeek.FRIDAY ? 1 : 0;
    }

    static int count(AtomicInteger n) {
        return n != null && n.incrementAndGet() == 99 ? 1 : 0;
    }

    /** No constructor can be called. */
    static final class Ratio {
        final int up;
        final int down;

        private Ratio(int up, int down) {
            this.up = up;
            this.down = down;
        }

        static Ratio of(int up, int down) {
            if (down == 0) throw new ArithmeticException("no ratio");
            return down < 0 ? null : new Ratio(up, down);
        }

        int twice() {
            return up == 7 && down == 3 ? 1 : 0;
        }
    }

    /** Equal strings are not the same one. */
    static int same(String a, String b) {
        if (a == "k" || b == "k") return 3;
        return a == b ? 2 : a.equals(b) ? 1 : 0;
    }

    /** The first parameters of its constructors have different types. */
    static final class Any {
        final int kind;

        Any(int a) {
            kind = a == 5 ? 1 : 0;
        }

        Any(String a) {
            kind = a.equals("b") ? 2 : 0;
        }

        int kind() {
            return kind;
        }
    }

    /** An array goes into a constructor of the program. */
    static final class Box {
        final byte[] bytes;

        Box(byte[] bytes) {
            this.bytes = bytes;
        }
    }

    static int held(Optional<Integer> o, OptionalInt n) {
        if (o == null || n == null) return 0;
        return o.isPresent() && o.get() == 5 && n.isPresent() && n.getAsInt() == 6 ? 1 : 2;
    }

    static int charset(Charset c, Locale l) {
        if (c == null || l == null) return 0;
        return c == StandardCharsets.UTF_16 && l.getCountry().equals("DE") ? 1 : 2;
    }

    static int file(File f) throws IOException {
        if (f == null) return 0;
        if (!f.exists()) return 1;
        try (FileInputStream in = new FileInputStream(f)) {
            return in.read() == 'P' ? 2 : 3;
        }
    }

    static int path(Path p) throws IOException {
        if (p == null) return 0;
        if (!Files.exists(p)) return 1;
        byte[] all = Files.readAllBytes(p);
        return all.length > 1 && all[1] == 'Q' ? 2 : 3;
    }

    static int type(Class<?> c, Class<? extends Number> n) {
        if (c == null || n == null) return 0;
        return c.isPrimitive() ? 1 : c.isArray() ? 2 : n == Number.class ? 3 : 4;
    }

    enum Color {
        RED,
        GREEN
    }

    static int colors(EnumSet<Color> s, EnumMap<Color, Byte> m) {
        if (s == null || m == null) return 0;
        Byte red = m.get(Color.RED);
        return s.contains(Color.GREEN) && red != null && red == 7 ? 1 : 2;
    }

    static int time(LocalTime t, ZoneOffset z) {
        if (t == null || z == null) return 0;
        return t.getHour() == 23 && z.getTotalSeconds() == 0 ? 1 : 2;
    }

    static int next(Iterator<String> i, SortedMap<Byte, Byte> m) {
        if (i == null || m == null || !i.hasNext() || m.isEmpty()) return 0;
        return i.next().equals("k") && m.firstKey() == 3 ? 1 : 2;
    }

    static int all(java.util.List<byte[]> list) {
        return list != null && list.size() == 1 && list.get(0).length == 2 && list.get(0)[1] == 5 ? 1 : 0;
    }

    static int box(Box b) {
        return b != null && b.bytes.length > 1 && b.bytes[1] == 5 ? 1 : 0;
    }
}
