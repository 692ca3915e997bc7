package polypath.driver;

import java.io.File;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The directories in which a program can leave files behind: its working directory and, where it has some of its own, those for temporary
 * files. No run finds what an earlier one left there.
 *
 * What a directory held when the JVM began stays. To see that nothing came costs a look at its time of change, which is set to a fixed
 * value whenever nothing else is there.
 */
final class Scene {
    /** What a run ends with that would find what an earlier one left. */
    static final String LEFT = "files that an earlier run left and that cannot be removed";

    /** Where programs work that have directories of their own (crate `fence`). */
    private static final String PRIVATE = "/tmp/polypath/home/user";
    /** A time that no change leaves behind. */
    private static final long SETTLED = 1_000_000_000_000L;

    private static final class Place {
        final File directory;
        final Set<String> kept = new HashSet<>();

        Place(File directory) {
            this.directory = directory;
            for (String name : names(directory)) kept.add(name);
        }

        boolean clear() {
            if (directory.lastModified() == SETTLED) return true;
            boolean isClear = true;
            for (String name : names(directory)) if (!kept.contains(name)) isClear &= remove(new File(directory, name));
            if (isClear) directory.setLastModified(SETTLED);
            return isClear;
        }
    }

    private final List<Place> places = new ArrayList<>();

    /** To be made before the program begins. */
    Scene() {
        File here = new File("").getAbsoluteFile();
        places.add(new Place(here));
        if (here.getPath().equals(PRIVATE)) {
            places.add(new Place(here.getParentFile()));
            places.add(new Place(new File("/tmp")));
            places.add(new Place(new File("/var/tmp")));
        }
    }

    /** To be called before each run, while the thread works for us ({@link polypath.RT#pause}). Whether nothing is left. */
    boolean clear() {
        boolean isClear = true;
        for (Place place : places) isClear &= place.clear();
        return isClear;
    }

    private static String[] names(File directory) {
        String[] names = directory.list();
        return names == null ? new String[0] : names;
    }

    private static boolean remove(File file) {
        // A link's target is no part of it; of a directory that is closed to us the program made all.
        if (!java.nio.file.Files.isSymbolicLink(file.toPath()) && file.isDirectory()) {
            file.setReadable(true);
            file.setWritable(true);
            file.setExecutable(true);
            for (String name : names(file)) remove(new File(file, name));
        }
        return file.delete();
    }
}
