package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Methods of the JDK that ask something of a value which they are given, and whose documentation promises an exception where it is not so: the text that
 * `Integer.parseInt` reads is a number. A program that hands on its caller's value asks the same of its caller. Woven code of the program notes what it
 * hands to such a method ({@link polypath.Asked}), and the driver says, of an exception that comes from there, which input it was (`Unfit`). To add one: a
 * line in the table.
 */
public final class Asking {
    private Asking() {}

    /** A method, and what it asks of one of its parameters. */
    public static final class Row {
        public final String owner;
        public final String method;
        final int parameter;
        private final What what;
        /** The exception that is promised. */
        public final String exception;
        /** What an input is that it is thrown for: "is no number". */
        public final String why;

        private Row(String owner, String method, int parameter, What what, String exception, String why) {
            this.owner = owner;
            this.method = method;
            this.parameter = parameter;
            this.what = what;
            this.exception = exception;
            this.why = why;
        }

        private boolean takes(Type[] types) {
            if (parameter >= types.length) return false;
            for (String type : what.types) if (types[parameter].getDescriptor().equals(type)) return true;
            return false;
        }
    }

    /** Of what something is asked: overloads that take something else are others. */
    private enum What {
        TEXT("Ljava/lang/String;", "Ljava/lang/CharSequence;", "[C"),
        NUMBER("I"),
        BYTES("[B");

        final String[] types;

        What(String... types) {
            this.types = types;
        }
    }

    private static final List<Row> ROWS = new ArrayList<>();
    private static final Map<String, List<Integer>> BY_METHOD = new HashMap<>();

    private static void row(String owner, String methods, int parameter, What what, String exception, String why) {
        for (String method : methods.split(" ")) {
            BY_METHOD.computeIfAbsent(owner.replace('.', '/') + "." + method, k -> new ArrayList<>()).add(ROWS.size());
            ROWS.add(new Row(owner, method, parameter, what, exception, why));
        }
    }

    private static void text(String owner, String methods, int parameter, String exception, String why) {
        row(owner, methods, parameter, What.TEXT, exception, why);
    }

    static {
        String number = "java.lang.NumberFormatException";
        String argument = "java.lang.IllegalArgumentException";
        String date = "java.time.DateTimeException";
        String isNoNumber = "is no number";
        text("java.lang.Byte", "parseByte valueOf decode <init>", 0, number, isNoNumber);
        text("java.lang.Short", "parseShort valueOf decode <init>", 0, number, isNoNumber);
        text("java.lang.Integer", "parseInt parseUnsignedInt valueOf decode <init>", 0, number, isNoNumber);
        text("java.lang.Long", "parseLong parseUnsignedLong valueOf decode <init>", 0, number, isNoNumber);
        text("java.lang.Float", "parseFloat valueOf <init>", 0, number, isNoNumber);
        text("java.lang.Double", "parseDouble valueOf <init>", 0, number, isNoNumber);
        text("java.math.BigInteger", "<init>", 0, number, isNoNumber);
        text("java.math.BigDecimal", "<init>", 0, number, isNoNumber);
        text("java.lang.Enum", "valueOf", 1, argument, "is no name of a constant");
        text("java.nio.charset.Charset", "forName isSupported", 0, argument, "is no name of a character set");
        text("java.util.UUID", "fromString", 0, argument, "is no UUID");
        text("java.util.Currency", "getInstance", 0, argument, "is no currency");
        text("java.net.URI", "create", 0, argument, "is no URI");
        text("java.nio.file.Path", "of", 0, argument, "is no path");
        text("java.nio.file.Paths", "get", 0, argument, "is no path");
        text("java.net.URLDecoder", "decode", 0, argument, "is no encoded text");
        text("java.util.Base64$Decoder", "decode", 0, argument, "is no encoded text");
        row("java.util.Base64$Decoder", "decode", 0, What.BYTES, argument, "is no encoded text");
        text("java.util.HexFormat", "parseHex", 0, argument, "is no encoded text");
        String expression = "java.util.regex.PatternSyntaxException";
        String isNoExpression = "is no regular expression";
        text("java.util.regex.Pattern", "compile matches", 0, expression, isNoExpression);
        text("java.lang.String", "matches replaceAll replaceFirst split", 0, expression, isNoExpression);
        String isNoFormat = "is no format";
        text("java.lang.String", "format", 0, argument, isNoFormat);
        text("java.util.Formatter", "format", 0, argument, isNoFormat);
        text("java.io.PrintStream", "printf format", 0, argument, isNoFormat);
        text("java.io.PrintWriter", "printf format", 0, argument, isNoFormat);
        text("java.text.MessageFormat", "format <init> applyPattern", 0, argument, isNoFormat);
        text("java.text.ChoiceFormat", "<init> applyPattern", 0, argument, isNoFormat);
        text("java.text.DecimalFormat", "<init> applyPattern applyLocalizedPattern", 0, argument, isNoFormat);
        text("java.text.SimpleDateFormat", "<init> applyPattern applyLocalizedPattern", 0, argument, isNoFormat);
        text("java.time.format.DateTimeFormatter", "ofPattern", 0, argument, isNoFormat);
        String isNoDate = "is no date or time";
        for (String type : new String[] {"LocalDate", "LocalTime", "LocalDateTime", "OffsetDateTime", "ZonedDateTime", "Instant", "Year", "YearMonth"}) {
            text("java.time." + type, "parse", 0, date, isNoDate);
        }
        text("java.time.Duration", "parse", 0, date, "is no span of time");
        text("java.time.Period", "parse", 0, date, "is no span of time");
        text("java.time.ZoneId", "of", 0, date, "is no zone of time");
        text("java.util.Date", "parse <init>", 0, argument, isNoDate);
        String isNoSize = "is no size";
        for (String type : new String[] {"BufferedInputStream", "BufferedOutputStream", "BufferedReader", "BufferedWriter", "PushbackInputStream", "PushbackReader"}) {
            row("java.io." + type, "<init>", 1, What.NUMBER, argument, isNoSize);
        }
        for (String type : new String[] {"java.io.ByteArrayOutputStream", "java.io.CharArrayWriter", "java.io.StringWriter", "java.util.ArrayList", "java.util.Vector",
                "java.util.HashMap", "java.util.LinkedHashMap", "java.util.HashSet", "java.util.LinkedHashSet", "java.util.PriorityQueue", "java.util.concurrent.ArrayBlockingQueue"}) {
            row(type, "<init>", 0, What.NUMBER, argument, isNoSize);
        }
        row("java.nio.ByteBuffer", "allocate allocateDirect", 0, What.NUMBER, argument, isNoSize);
        row("java.nio.CharBuffer", "allocate", 0, What.NUMBER, argument, isNoSize);
        row("java.lang.Character", "toChars toString", 0, What.NUMBER, argument, "is no character");
        row("java.lang.StringBuilder", "appendCodePoint", 0, What.NUMBER, argument, "is no character");
        row("javax.crypto.spec.SecretKeySpec", "<init>", 0, What.BYTES, argument, "is no key");
    }

    /** A row by its number. */
    public static Row row(int number) {
        return ROWS.get(number);
    }

    /** Notes what a method of the program hands to such a method. */
    static void note(MethodInsnNode m, Body b) {
        List<Integer> rows = BY_METHOD.get(m.owner + "." + m.name);
        if (rows == null || !b.world.counts(b.owner)) return;
        Type[] types = Type.getArgumentTypes(m.desc);
        for (int number : rows) {
            if (!ROWS.get(number).takes(types)) continue;
            note(number, types, b);
            return;
        }
    }

    private static void note(int number, Type[] types, Body b) {
        Row row = ROWS.get(number);
        int[] kept = new int[types.length];
        int words = 0;
        for (int k = types.length - 1; k >= row.parameter; k--) {
            kept[k] = b.keep(types[k], words);
            words += types[k].getSize();
        }
        boolean isNumber = row.what == What.NUMBER;
        if (isNumber) b.id(b.depth - words);
        else b.add(new VarInsnNode(ALOAD, kept[row.parameter]));
        b.push(number);
        b.context();
        b.rt("asks", (isNumber ? "(II" : "(Ljava/lang/Object;I") + Twins.CTX_DESC + ")V");
        for (int k = row.parameter; k < types.length; k++) b.add(new VarInsnNode(types[k].getOpcode(ILOAD), kept[k]));
        b.needs(4);
    }
}
