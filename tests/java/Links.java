import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Links each class file below a directory, of the JDK's base module, so that a verifier which is on sees it; prints what fails. */
public class Links {
    public static void main(String[] args) throws Exception {
        Path root = Path.of(args[0]);
        List<String> names;
        try (Stream<Path> all = Files.walk(root)) {
            names = all.map(p -> root.relativize(p).toString()).filter(p -> p.endsWith(".class"))
                    .map(p -> p.substring(0, p.length() - 6).replace('/', '.')).sorted().collect(Collectors.toList());
        }
        int linked = 0;
        for (String name : names) {
            try {
                // The list of its methods is made of a class that is linked.
                Class.forName(name, false, null).getDeclaredMethods();
                linked++;
            } catch (Throwable t) {
                System.out.println(name + ": " + t);
            }
        }
        System.out.println("linked " + linked);
    }
}
