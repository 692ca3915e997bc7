package polypath.driver;

import java.lang.reflect.Array;
import java.lang.reflect.Executable;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import polypath.Asked;
import polypath.Ctx;
import polypath.weave.Asking;

/**
 * Which input an exception was about that the caller may have had to choose otherwise: a value that the program handed on as it was (or a part of a text) to a
 * method of the library that asks something of it ({@link Asking}), or an array with less room than what is written to it.
 *
 * A parser is there to say which texts are none: where a method of the program declares a checked exception for that, another exception that comes out
 * of it in its place is not what its callers were told, and no input is to blame.
 */
final class Unfit {
    private Unfit() {}

    /** What the input is ("is no number"), then a tab and a name for each input that it may be; empty if there is none. */
    static String of(Throwable t, Ctx c, Given given, Entry entry) {
        Asked asked = c.asked;
        String room = room(t, c, given);
        if (room != null) return room;
        String expression = expression(t, given);
        if (expression != null) return expression;
        if (asked.row < 0) return "";
        Asking.Row row = Asking.row(asked.row);
        if (!isA(t.getClass(), row.exception)) return "";
        StackTraceElement last = null;
        List<StackTraceElement> own = new ArrayList<>();
        for (StackTraceElement f : t.getStackTrace()) {
            if (Said.isOurs(f) || f.getClassName().contains(".reflect.")) {
                if (f.getClassName().equals("polypath.driver.Entry")) break;
                continue;
            }
            if (f.getModuleName() == null) own.add(f);
            else if (own.isEmpty()) last = f;
        }
        if (last == null || !last.getClassName().equals(row.owner) || !last.getMethodName().equals(row.method)) return "";
        List<String> names = names(asked, given);
        boolean isText = asked.subject instanceof CharSequence || asked.subject instanceof char[];
        if (names.isEmpty() || isText && isOfParser(own, entry)) return "";
        return row.why + "\t" + String.join("\t", names);
    }

    private static List<String> names(Asked asked, Given given) {
        Object subject = asked.subject;
        if (subject instanceof char[]) subject = String.valueOf((char[]) subject);
        if (subject instanceof CharSequence) return given.textsWith((CharSequence) subject);
        String name = subject == null ? given.number(asked.id) : given.array(subject);
        return name == null ? List.of() : List.of(name);
    }

    /** Of an array into which the run only wrote, in the end past its own. */
    private static String room(Throwable t, Ctx c, Given given) {
        Object array = c.asked.overrun;
        if (array == null || !(t instanceof ArrayIndexOutOfBoundsException) || !c.isUnread(array)) return null;
        String name = given.array(array);
        int length = Array.getLength(array);
        String text = String.valueOf(t.getMessage());
        boolean isIt = text.endsWith(" length " + length) || text.endsWith("[" + length + "]");
        return name == null || !isIt ? null : "has " + length + ", no room for what is written\t" + name;
    }

    /** Parameters of which their names say that their texts are regular expressions, or parts of one. */
    private static final Pattern EXPRESSION = Pattern.compile("(^|[a-z_.])(regex|regexp|pattern)s?$", Pattern.CASE_INSENSITIVE);

    /** Of texts that the program makes one regular expression of: the library throws it where there is none, or none with the groups that are asked for. */
    private static String expression(Throwable t, Given given) {
        StackTraceElement[] frames = t.getStackTrace();
        int of = 0;
        while (of < frames.length && "java.base".equals(frames[of].getModuleName()) && !frames[of].getClassName().startsWith("java.util.regex.")) of++;
        if (of == frames.length || !frames[of].getClassName().startsWith("java.util.regex.")) return null;
        List<String> names = new ArrayList<>();
        for (String name : given.textNames()) if (EXPRESSION.matcher(name).find()) names.add(name);
        if (names.isEmpty()) return null;
        return (t instanceof PatternSyntaxException ? "is no part of a regular expression" : "has not the groups that are asked for") + "\t" + String.join("\t", names);
    }

    private static boolean isA(Class<?> c, String name) {
        for (; c != null; c = c.getSuperclass()) if (c.getName().equals(name)) return true;
        return false;
    }

    /** Whether one of these methods declares an exception for texts that are none. */
    private static boolean isOfParser(List<StackTraceElement> own, Entry entry) {
        for (StackTraceElement f : own) {
            try {
                Class<?> c = Class.forName(f.getClassName(), false, entry.loader());
                for (Executable m : c.getDeclaredMethods()) if (m.getName().equals(f.getMethodName()) && declares(m)) return true;
                if (!f.getMethodName().equals("<init>")) continue;
                for (Executable m : c.getDeclaredConstructors()) if (declares(m)) return true;
            } catch (ClassNotFoundException | LinkageError e) {
                // A class that is made at run time declares nothing.
                continue;
            }
        }
        return false;
    }

    private static boolean declares(Executable m) {
        for (Class<?> e : m.getExceptionTypes()) {
            boolean isChecked = !RuntimeException.class.isAssignableFrom(e) && !Error.class.isAssignableFrom(e);
            boolean isOwn = e.getClassLoader() instanceof AppLoader;
            if (isChecked && (isOwn || e == java.text.ParseException.class || e == java.net.URISyntaxException.class)) return true;
        }
        return false;
    }
}
