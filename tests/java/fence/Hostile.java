import java.io.File;
import java.io.FileWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeMap;

/** Does to the host what it should not be able to do. What it says is the same on each path. */
public class Hostile {
    public static void main(String[] args) throws Exception {
        int first = System.in.read();
        switch (args[0]) {
            case "files": files(args[1]); break;
            case "network": network(Integer.parseInt(args[1])); break;
            case "processes": processes(args[1]); break;
            case "inherits": inherits(args[1]); break;
            default: leaves();
        }
        // Two paths.
        if (first == 'x') System.out.println("x");
    }

    private static void files(String name) {
        File precious = new File(name);
        say("delete", precious.delete());
        say("mode", precious.setReadable(false) && !precious.canRead());
        say("time", precious.setLastModified(0));
        say("move", precious.renameTo(new File(name + ".moved")));
        say("beside", makes(new File(name + ".new")));
        say("write", writes(name));
    }

    private static boolean writes(String name) {
        try (FileWriter out = new FileWriter(name)) {
            out.write("gone");
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean makes(File file) {
        try {
            return file.createNewFile();
        } catch (IOException e) {
            return false;
        }
    }

    private static void network(int port) {
        try (Socket socket = new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port)) {
            say("connect", true);
        } catch (IOException e) {
            say("connect", false);
        }
    }

    private static void processes(String pid) throws Exception {
        say("process", ProcessHandle.of(Long.parseLong(pid)).map(ProcessHandle::destroyForcibly).orElse(false));
        say("kill", new ProcessBuilder("/bin/kill", "-9", pid).start().waitFor() == 0);
    }

    /** Uses what whoever started the command has in its environment, and what it has open under this number. */
    private static void inherits(String number) {
        say("descriptor", writes("/proc/self/fd/" + number));
        say("secret", System.getenv("POLYPATH_SECRET") != null);
        System.out.println(new TreeMap<>(System.getenv()));
    }

    /** Leaves files behind, which no other run may find. */
    private static void leaves() throws IOException {
        String[] names = {"here", "../beside", "deep/er/file", "/tmp/temporary", "/var/tmp/temporary"};
        for (String name : names) {
            Path path = Path.of(name);
            if (Files.exists(path)) throw new IllegalStateException(name + " is there");
            if (name.startsWith("deep")) Files.createDirectories(path.getParent());
            Files.writeString(path, "left");
        }
        Files.createSymbolicLink(Path.of("link"), Path.of("/usr"));
        new File("deep/er").setWritable(false);
    }

    private static void say(String what, boolean worked) {
        System.out.println(what + (worked ? " worked" : " failed"));
    }
}
