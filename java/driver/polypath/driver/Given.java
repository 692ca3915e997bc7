package polypath.driver;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import polypath.RT;

/** What a run's call was given: the names of its texts, numbers and arrays. To note it is no part of the run. */
final class Given {
    /** Names that are told of one value, at most. */
    private static final int MOST = 8;
    /** Calls whose parameters are told, at most. */
    private static final int MOST_CALLS = 64;

    private final List<String> textNames = new ArrayList<>();
    private final List<String> texts = new ArrayList<>();
    private final Map<Integer, String> numbers = new HashMap<>();
    private final List<String> arrayNames = new ArrayList<>();
    private final List<Object> arrays = new ArrayList<>();
    private final StringBuilder calls = new StringBuilder();
    private int callCount;

    /** The call of another run. */
    void begin() {
        textNames.clear();
        texts.clear();
        numbers.clear();
        arrayNames.clear();
        arrays.clear();
        calls.setLength(0);
        callCount = 0;
    }

    /** A call that the driver makes, with its parameters in order. */
    void call(String prefix, String[] parameters) {
        if (parameters.length == 0 || callCount++ == MOST_CALLS) return;
        boolean paused = RT.pause();
        try {
            if (calls.length() > 0) calls.append('\t');
            for (int k = 0; k < parameters.length; k++) calls.append(k == 0 ? "" : " ").append(prefix).append(parameters[k]);
        } finally {
            RT.resume(paused);
        }
    }

    /** The parameters of these calls: names with blanks between them, a tab after each call. */
    String calls() {
        return calls.toString();
    }

    void text(String name, String value) {
        boolean paused = RT.pause();
        try {
            textNames.add(name);
            texts.add(value);
        } finally {
            RT.resume(paused);
        }
    }

    void number(String name, int id) {
        boolean paused = RT.pause();
        try {
            numbers.put(id, name);
        } finally {
            RT.resume(paused);
        }
    }

    void array(String name, Object array) {
        boolean paused = RT.pause();
        try {
            arrayNames.add(name);
            arrays.add(array);
        } finally {
            RT.resume(paused);
        }
    }

    /** The text that this very object is, or else those of which it is all or a part, whatever the case of its letters: those that it is all of first. */
    List<String> textsWith(CharSequence subject) {
        for (int k = 0; k < texts.size(); k++) if (texts.get(k) == subject) return List.of(textNames.get(k));
        List<String> found = new ArrayList<>();
        String part = subject.toString();
        String wanted = part.toLowerCase(Locale.ROOT);
        for (int whole = 1; whole >= 0; whole--) {
            for (int k = 0; k < texts.size() && found.size() < MOST; k++) {
                String text = texts.get(k).toLowerCase(Locale.ROOT);
                if (text.equals(wanted) == (whole == 1) && text.contains(wanted)) found.add(textNames.get(k));
            }
        }
        return found;
    }

    /** The names of all texts. */
    List<String> textNames() {
        return textNames;
    }

    /** The number with this id; null if it is another one. */
    String number(int id) {
        return numbers.get(id);
    }

    /** The name of this very array; null if it is another one. */
    String array(Object array) {
        for (int k = 0; k < arrays.size(); k++) if (arrays.get(k) == array) return arrayNames.get(k);
        return null;
    }
}
