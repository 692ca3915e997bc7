package polypath.driver;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import polypath.Ctx;
import polypath.InputFiles;
import polypath.RT;
import polypath.Wire;

/** Parameters that name a file: one that is not there, or a file of input in the working directory, which source writes where it names it. */
final class NamedFiles {
    /** How the names of files of input begin. */
    private static final String NAME = "input";
    /** A file that is not there. */
    private static final String MISSING = "missing";

    private final Inputs inputs;
    /** The files of the run. */
    private final Map<String, byte[]> contents = new LinkedHashMap<>();

    NamedFiles(Inputs inputs) {
        this.inputs = inputs;
    }

    /** The call of another run. */
    void begin() {
        contents.clear();
    }

    static boolean has(Class<?> t) {
        return t == File.class || t == Path.class;
    }

    Inputs.Made make(Class<?> t, String name, Ctx c) throws ReflectiveOperationException, Inputs.Refused {
        // Other names, directories, links.
        c.lose(Wire.LOST_INPUT, -1);
        boolean isMissing = inputs.choice(name + ".exists", 2, c) == 0;
        String file = isMissing ? MISSING : NAME + (contents.isEmpty() ? "" : contents.size());
        Object value = t == File.class ? new File(file) : Path.of(file);
        if (isMissing) return new Inputs.Made(value, 0, t == File.class ? "new java.io.File(\"" + file + "\")" : path(file));
        Inputs.Made bytes = inputs.bytes(name + ".bytes", c);
        boolean paused = RT.pause();
        try {
            contents.put(file, (byte[]) bytes.value);
            if (!InputFiles.begin(Path.of("").toAbsolutePath(), contents)) RT.lost(1, Wire.LOST_FILE, -1, c);
        } catch (IOException e) {
            throw new IllegalStateException("the files of input cannot be written: " + e, e);
        } finally {
            RT.resume(paused);
        }
        if (bytes.source == null || inputs.isAnswering()) return new Inputs.Made(value, 0, null);
        String source = "java.nio.file.Files.write(" + path(file) + ", " + bytes.source + ")";
        return new Inputs.Made(value, 0, t == File.class ? source + ".toFile()" : source);
    }

    private static String path(String file) {
        return "java.nio.file.Path.of(" + Literals.text(file) + ")";
    }
}
