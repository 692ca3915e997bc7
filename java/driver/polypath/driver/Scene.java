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
 * value whenever it is empty.
 */
final class Scene {
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

        void clear() {
            if (directory.lastModified() == SETTLED) return;
            for (String name : names(directory)) if (!kept.contains(name)) remove(new File(directory, name));
            directory.setLastModified(SETTLED);
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

    /** To be called before each run, while the thread works for us ({@link polypath.RT#pause}). */
    void clear() {
        for (Place place : places) place.clear();
    }

    private static String[] names(File directory) {
        String[] names = directory.list();
        return names == null ? new String[0] : names;
    }

    private static void remove(File file) {
        // A link's target is no part of it; of a directory that is closed to us the program made all.
        if (!java.nio.file.Files.isSymbolicLink(file.toPath()) && file.isDirectory()) {
            file.setReadable(true);
            file.setWritable(true);
            file.setExecutable(true);
            for (String name : names(file)) remove(new File(file, name));
        }
        file.delete();
    }
}
