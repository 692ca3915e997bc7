package polypath.driver;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import polypath.weave.StandIns;

/** Which classes of the program stand for an interface or an abstract class, and which have objects that give one: those of its own package first. */
final class Implementations {
    /** Classes that are looked at for one type. */
    private static final int LOOKED_AT = 2000;
    /** Classes among which the ones are chosen that stand for one type. */
    private static final int MOST = 16;

    private final String[] path;
    private final Map<String, List<String>> known = new HashMap<>();
    /** Loads without weaving. */
    private URLClassLoader plain;

    Implementations(String[] path) {
        this.path = path;
    }

    /** Names of public or neighbouring classes with code, which can have objects. */
    List<String> of(Class<?> type) {
        if (isProvider(type)) return List.of(StandIns.OUR_PROVIDER.replace('/', '.'));
        return known.computeIfAbsent(type.getName(), name -> {
            List<String> found = new ArrayList<>();
            try {
                Class<?> wanted = Class.forName(name, false, plain());
                List<String> all = Listing.classes(path, type.getPackageName());
                for (String other : Listing.classes(path, null)) if (!all.contains(other)) all.add(other);
                for (String each : all.subList(0, Math.min(all.size(), LOOKED_AT))) {
                    if (found.size() < MOST && stands(wanted, each)) found.add(each);
                }
            } catch (IOException | ClassNotFoundException | LinkageError e) {
                return List.of();
            }
            return found;
        });
    }

    /** By type of the program: names of classes with public methods of objects whose result is declared to be of it. */
    private Map<String, List<String>> givers;

    /** Names of such classes of this type, those of its own package first. */
    List<String> givers(Class<?> type) {
        if (givers == null) givers = findGivers();
        List<String> all = new ArrayList<>(givers.getOrDefault(type.getName(), List.of()));
        String home = type.getPackageName() + ".";
        all.sort((a, b) -> Boolean.compare(b.startsWith(home), a.startsWith(home)));
        return all;
    }

    private Map<String, List<String>> findGivers() {
        Map<String, List<String>> found = new HashMap<>();
        try {
            List<String> all = Listing.classes(path, null);
            for (String name : all.subList(0, Math.min(all.size(), LOOKED_AT))) {
                try {
                    Class<?> c = Class.forName(name, false, plain());
                    if (Modifier.isAbstract(c.getModifiers()) || !Modifier.isPublic(c.getModifiers())) continue;
                    for (Method m : c.getDeclaredMethods()) {
                        Class<?> of = m.getReturnType();
                        boolean gives = Modifier.isPublic(m.getModifiers()) && !Modifier.isStatic(m.getModifiers()) && !m.isSynthetic();
                        if (!gives || of == c || of.getClassLoader() != plain) continue;
                        List<String> names = found.computeIfAbsent(of.getName(), k -> new ArrayList<>());
                        if (!names.contains(name)) names.add(name);
                    }
                } catch (ClassNotFoundException | LinkageError e) {
                    // A class whose own parents are missing gives nothing.
                    continue;
                }
            }
        } catch (IOException e) {
            return Map.of();
        }
        return found;
    }

    private URLClassLoader plain() throws IOException {
        if (plain == null) {
            URL[] urls = new URL[path.length];
            for (int k = 0; k < urls.length; k++) urls[k] = new File(path[k]).toURI().toURL();
            plain = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
        }
        return plain;
    }

    /** Whether it is what a fuzz target of Jazzer takes its input from: there is always one. */
    static boolean isProvider(Class<?> type) {
        return type.getName().equals(StandIns.PROVIDER.replace('/', '.'));
    }

    private boolean stands(Class<?> wanted, String name) {
        try {
            Class<?> c = Class.forName(name, false, plain);
            boolean isNear = c.getPackageName().equals(wanted.getPackageName());
            return wanted.isAssignableFrom(c) && !c.isInterface() && !Modifier.isAbstract(c.getModifiers())
                    && !c.isAnonymousClass() && !c.isLocalClass() && (Modifier.isPublic(c.getModifiers()) || isNear);
        } catch (ClassNotFoundException | LinkageError e) {
            // A class whose own parents are missing stands for nothing.
            return false;
        }
    }
}
