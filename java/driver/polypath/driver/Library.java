package polypath.driver;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.Reader;
import java.io.Serializable;
import java.io.StringReader;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.Date;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** How values of the library's types are made of input, beside boxes, strings and collections. */
final class Library {
    private Library() {}

    /** A public constructor, or a method that makes an object. */
    static final class Maker {
        final Class<?> of;
        /** Null for a constructor. */
        final String method;
        final Class<?>[] types;
        /** Whether each object of the class is one that can be made so, as far as a program can tell. */
        final boolean isWhole;

        private Maker(boolean isWhole, Class<?> of, String method, Class<?>... types) {
            this.isWhole = isWhole;
            this.of = of;
            this.method = method;
            this.types = types;
        }
    }

    /** Of the parameters that are not their whole type (the scale of a decimal number), this many values. */
    static final int SMALL = 4;

    /** Which classes stand for a type that says little. */
    private static final Map<Class<?>, Class<?>[]> KINDS = new HashMap<>();
    private static final Map<Class<?>, Maker> MAKERS = new HashMap<>();

    /** Which values a type has that is not made of input: the fields of a class that has them. */
    private static final Map<Class<?>, Constants> CONSTANTS = new HashMap<>();

    /** Some values of a type, which are public constants. */
    static final class Constants {
        private final Class<?> owner;
        private final String[] names;

        private Constants(Class<?> owner, String... names) {
            this.owner = owner;
            this.names = names;
        }

        int count() {
            return names.length;
        }

        Object value(int k) throws ReflectiveOperationException {
            return owner.getField(names[k]).get(null);
        }

        String source(int k, Literals literals) {
            return literals.name(owner) + "." + names[k];
        }
    }

    private static void constants(Class<?> of, Class<?> owner, String... names) {
        CONSTANTS.put(of, new Constants(owner, names));
    }

    private static void kinds(Class<?> of, Class<?>... all) {
        KINDS.put(of, all);
    }

    private static void all(Class<?> of, String method, Class<?>... types) {
        MAKERS.put(of, new Maker(true, of, method, types));
    }

    private static void some(Class<?> of, String method, Class<?>... types) {
        MAKERS.put(of, new Maker(false, of, method, types));
    }

    static {
        kinds(Object.class, String.class, Integer.class);
        kinds(Comparable.class, String.class, Integer.class);
        kinds(Serializable.class, String.class, Integer.class);
        kinds(CharSequence.class, String.class);
        kinds(Number.class, Integer.class, Double.class);
        kinds(InputStream.class, ByteArrayInputStream.class);
        kinds(Reader.class, StringReader.class);
        kinds(Appendable.class, StringBuilder.class);
        all(StringBuilder.class, null, String.class);
        all(StringBuffer.class, null, String.class);
        all(StringReader.class, null, String.class);
        all(ByteArrayInputStream.class, null, byte[].class);
        some(BigInteger.class, "valueOf", long.class);
        some(BigDecimal.class, "valueOf", long.class, int.class);
        all(Date.class, null, long.class);
        some(Random.class, null, long.class);
        all(UUID.class, null, long.class, long.class);
        some(Instant.class, "ofEpochSecond", long.class);
        some(Duration.class, "ofSeconds", long.class);
        all(LocalDate.class, "of", int.class, int.class, int.class);
        some(LocalTime.class, "of", int.class, int.class, int.class);
        some(LocalDateTime.class, "of", int.class, int.class, int.class, int.class, int.class);
        constants(Charset.class, StandardCharsets.class, "UTF_8", "US_ASCII", "ISO_8859_1", "UTF_16");
        constants(Locale.class, Locale.class, "ROOT", "US", "GERMANY");
        constants(ZoneOffset.class, ZoneOffset.class, "UTC", "MIN", "MAX");
        all(AtomicInteger.class, null, int.class);
        all(AtomicLong.class, null, long.class);
    }

    /** The values of this type; null if it is another one. */
    static Constants constants(Class<?> t) {
        return CONSTANTS.get(t);
    }

    /** Class objects of which each is tried where nothing else is known of the class. */
    static final Class<?>[] CLASSES = {String.class, Integer.class, int.class, int[].class, Runnable.class};

    /** What an optional value holds, if it does; null if the type is another one. `of`: what an `Optional` is declared to hold. */
    static Type held(Class<?> t, Type of) {
        if (t == Optional.class) return of;
        return t == OptionalInt.class ? int.class : t == OptionalLong.class ? long.class : t == OptionalDouble.class ? double.class : null;
    }

    /** Classes of which each is tried for this type; null if it is another one. */
    static Class<?>[] kinds(Class<?> t) {
        return KINDS.get(t);
    }

    /** How an object of this class is made; null if it is another one. */
    static Maker maker(Class<?> t) {
        return MAKERS.get(t);
    }

    /** Whether this parameter has {@link #SMALL} values. */
    static boolean isSmall(Maker m, int parameter) {
        return m.of == BigDecimal.class && parameter == 1;
    }
}
