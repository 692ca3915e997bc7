import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.time.DayOfWeek;
import java.time.LocalDate;
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

    /** An array goes into a constructor of the program. */
    static final class Box {
        final byte[] bytes;

        Box(byte[] bytes) {
            this.bytes = bytes;
        }
    }

    static int box(Box b) {
        return b != null && b.bytes.length > 1 && b.bytes[1] == 5 ? 1 : 0;
    }
}
