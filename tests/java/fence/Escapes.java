import java.io.IOException;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Tries what `tests/escape/escape.c` tries, as far as Java can; the names are in the same file. What it says is the same on each path. */
public class Escapes {
    private interface Attempt {
        boolean works() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        int first = System.in.read();
        List<String> names = Files.readAllLines(Path.of(args[0]));
        String pid = names.get(7);
        say("write", () -> Files.writeString(Path.of(names.get(0)), "gone") != null);
        say("list", () -> Files.list(Path.of(names.get(2)).getParent()).count() > 0);
        say("secret", () -> Files.readString(Path.of(names.get(2))) != null);
        say("socket", () -> connects(names.get(3)));
        say("agent", () -> connects(names.get(4)));
        say("environment", () -> System.getenv("SSH_AUTH_SOCK") != null);
        say("memory", () -> Files.newInputStream(Path.of("/proc/" + pid + "/mem")) != null);
        say("variables", () -> Files.newInputStream(Path.of("/proc/" + pid + "/environ")) != null);
        say("signal", () -> ProcessHandle.of(Long.parseLong(pid)).map(ProcessHandle::destroy).orElse(false));
        say("datagram", () -> sends(Integer.parseInt(names.get(9))));
        say("terminal", () -> Files.newOutputStream(Path.of("/dev/tty")) != null);
        say("setting", () -> Files.newOutputStream(Path.of("/proc/sys/kernel/core_pattern")) != null);
        // The test looks for what is left of these.
        for (String place : new String[] {"/tmp/", "/var/tmp/", "/dev/shm/", "/run/", "/"}) {
            try (OutputStream out = Files.newOutputStream(Path.of(place + names.get(6)))) {
                out.write('x');
            } catch (IOException e) {
                // As it should be.
            }
        }
        try {
            new ProcessBuilder("/usr/bin/setsid", "--fork", "/bin/sleep", names.get(6)).start().waitFor();
        } catch (IOException e) {
            // As it may be.
        }
        // Two paths.
        if (first == 'x') System.out.println("x");
    }

    private static boolean connects(String name) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(name))) {
            return channel.write(ByteBuffer.wrap(new byte[1])) == 1;
        }
    }

    /** Whether it arrives is the test's to see. */
    private static boolean sends(int port) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.send(new DatagramPacket(new byte[1], 1, new InetSocketAddress("127.0.0.1", port)));
        }
        return false;
    }

    private static void say(String what, Attempt attempt) {
        boolean worked;
        try {
            worked = attempt.works();
        } catch (Exception | Error e) {
            worked = false;
        }
        System.out.println(what + (worked ? " worked" : " failed"));
    }
}
