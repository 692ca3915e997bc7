package polypath.driver;

import java.lang.reflect.Array;
import java.lang.reflect.Modifier;

/** Values and types as Java source has them, for a class in some package. */
final class Literals {
    /** A string constant has at most 65,535 bytes in a class file, an initializer of an array is code of at most as much. */
    private static final int LONGEST = 8000;
    /** Longer arrays of bytes are written as digits. */
    private static final int BYTE_BY_BYTE = 32;

    private final String home;

    /** For source in the package of this class. */
    Literals(Class<?> c) {
        home = c.getPackageName();
    }

    /** Whether source in the package may name the type. */
    boolean canName(Class<?> t) {
        if (t.isArray()) return canName(t.getComponentType());
        if (t.isPrimitive()) return true;
        if (t.getCanonicalName() == null || t.isHidden()) return false;
        for (Class<?> c = t; c != null; c = c.getEnclosingClass()) if (!canUse(c, c.getModifiers())) return false;
        return !t.getModule().isNamed() || t.getModule().isExported(t.getPackageName());
    }

    /** Whether source in the package may use what class `owner` declares with these modifiers. */
    boolean canUse(Class<?> owner, int modifiers) {
        if (Modifier.isPublic(modifiers)) return true;
        return !Modifier.isPrivate(modifiers) && owner.getPackageName().equals(home);
    }

    String name(Class<?> t) {
        if (t.isArray()) return name(t.getComponentType()) + "[]";
        if (t.isPrimitive()) return t.getName();
        String name = t.getCanonicalName();
        String p = t.getPackageName();
        boolean isShort = p.equals("java.lang") || p.equals(home);
        return isShort && !p.isEmpty() ? name.substring(p.length() + 1) : name;
    }

    /** The class object. */
    String type(Class<?> t) {
        if (canName(t)) return name(t) + ".class";
        return "Class.forName(" + text(t.getName()) + ")";
    }

    /** The nearest class above that source can name. */
    Class<?> nameable(Class<?> t) {
        Class<?> c = t;
        while (!canName(c)) c = c.getSuperclass();
        return c;
    }

    /** A value of the type that nobody looks at; null where source cannot name it. */
    String zero(Class<?> t) {
        if (!canName(t)) return null;
        String value = !t.isPrimitive() ? "null" : t == boolean.class ? "false" : "0";
        return "(" + name(t) + ") " + value;
    }

    /** The value of a box. Null if it is none. */
    static String box(Object v) {
        if (v instanceof Integer) return v.equals(Integer.MIN_VALUE) ? "Integer.MIN_VALUE" : v.toString();
        if (v instanceof Boolean) return v.toString();
        if (v instanceof Long) return v.equals(Long.MIN_VALUE) ? "Long.MIN_VALUE" : v + "L";
        if (v instanceof Byte || v instanceof Short) return "(" + (v instanceof Byte ? "byte" : "short") + ") " + v;
        if (v instanceof Character) return character((Character) v);
        if (v instanceof Float) return real((Float) v);
        return v instanceof Double ? real((Double) v) : null;
    }

    private static String real(float f) {
        if (Float.isNaN(f)) {
            int bits = Float.floatToRawIntBits(f);
            return bits == 0x7fc00000 ? "Float.NaN" : "Float.intBitsToFloat(0x" + Integer.toHexString(bits) + ")";
        }
        if (Float.isInfinite(f)) return f > 0 ? "Float.POSITIVE_INFINITY" : "Float.NEGATIVE_INFINITY";
        return f + "f";
    }

    private static String real(double d) {
        if (Double.isNaN(d)) {
            long bits = Double.doubleToRawLongBits(d);
            return bits == 0x7ff8000000000000L ? "Double.NaN" : "Double.longBitsToDouble(0x" + Long.toHexString(bits) + "L)";
        }
        if (Double.isInfinite(d)) return d > 0 ? "Double.POSITIVE_INFINITY" : "Double.NEGATIVE_INFINITY";
        return Double.toString(d);
    }

    private static String character(char c) {
        return c == '\'' ? "'\\''" : c == '"' ? "'\"'" : "'" + escaped(c) + "'";
    }

    private static String escaped(char c) {
        switch (c) {
            case '\n': return "\\n";
            case '\r': return "\\r";
            case '\t': return "\\t";
            case '"': return "\\\"";
            case '\\': return "\\\\";
            default: return c >= ' ' && c < 127 ? String.valueOf(c) : String.format("\\u%04x", (int) c);
        }
    }

    /** A string. A character that a Java compiler would take for a line's end is written by its escape. */
    static String text(String s) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < s.length(); i++) {
            char c = s.charAt(i);
            // A digit behind it would be taken for a part of the escape.
            boolean isAlone = i + 1 == s.length() || s.charAt(i + 1) < '0' || s.charAt(i + 1) > '7';
            String next = escaped(c);
            if (c == '\u0000') next = isAlone ? "\\0" : "\\000";
            // Behind a Unicode escape javac takes the second of two backslashes for the beginning of another one.
            if (c == '\\' && i + 1 < s.length() && escaped(s.charAt(i + 1)).startsWith("\\u")) next = "\\134";
            out.append(next);
        }
        return out.append('"').toString();
    }

    /**
     * A value of these: primitives in boxes, strings, constants of enums, arrays of primitives and of them, and what {@link Contents} writes. Null if it is
     * another, or too large for a source.
     */
    String value(Object v) {
        if (v == null) return "null";
        if (Contents.has(v.getClass())) return Contents.source(v, this);
        if (v instanceof String) return ((String) v).length() > LONGEST ? null : text((String) v);
        if (v instanceof Enum) {
            Class<?> type = ((Enum<?>) v).getDeclaringClass();
            return canName(type) ? name(type) + "." + ((Enum<?>) v).name() : null;
        }
        return v.getClass().isArray() ? array(v) : box(v);
    }

    private String array(Object v) {
        Class<?> element = v.getClass().getComponentType();
        int n = Array.getLength(v);
        if (!canName(element) || n > LONGEST) return null;
        if (element == byte.class && n > BYTE_BY_BYTE) {
            StringBuilder digits = new StringBuilder();
            for (byte b : (byte[]) v) digits.append(Character.forDigit((b >> 4) & 15, 16)).append(Character.forDigit(b & 15, 16));
            return "java.util.HexFormat.of().parseHex(\"" + digits + "\")";
        }
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < n; i++) {
            Object e = Array.get(v, i);
            // A constant that fits needs no cast here.
            String one = e instanceof Byte || e instanceof Short ? e.toString() : value(e);
            if (one == null) return null;
            all.append(i == 0 ? "" : ", ").append(one);
        }
        return newArray(element, all.toString());
    }

    /** A new array of these elements. */
    String newArray(Class<?> element, String elements) {
        return "new " + name(element) + "[] {" + elements + "}";
    }
}
