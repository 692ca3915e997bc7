import java.io.*;
import java.nio.file.*;
import java.nio.channels.*;
import java.nio.*;
import java.util.*;
/** Reads a file of input in all ways that there are, and does something that few contents lead to. */
public class Reads {
    static void hit(String how, int a, int b) { if (a == 'x' && b == 42) throw new IllegalStateException(how); }
    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "stream" -> { try (InputStream in = new FileInputStream("A")) { hit("stream", in.read(), in.read()); } }
            case "data" -> { try (DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(new File("A"))))) { if (in.readInt() == 0x01020304) throw new IllegalStateException("data"); } }
            case "reader" -> { try (BufferedReader in = new BufferedReader(new FileReader("A"))) { String s = in.readLine(); if ("xyz".equals(s)) throw new IllegalStateException("reader"); } }
            case "all" -> { byte[] b = Files.readAllBytes(Path.of("A")); hit("all", b[1], b[3]); }
            case "string" -> { String s = Files.readString(Path.of("./A")); if (s.startsWith("magi")) throw new IllegalStateException("string"); }
            case "lines" -> { long n = Files.lines(Path.of("A")).filter(l -> l.equals("q")).count(); if (n == 2) throw new IllegalStateException("lines"); }
            case "random" -> { try (RandomAccessFile f = new RandomAccessFile("A", "r")) { f.seek(2); hit("random", f.readByte(), f.read()); } }
            case "seek" -> { try (RandomAccessFile f = new RandomAccessFile("A", "r")) { int at = f.read() & 3; f.seek(at); hit("seek", f.read(), at == 2 ? 42 : 0); } }
            case "skip" -> { try (InputStream in = new FileInputStream("A")) { int n = in.read() & 1; in.skip(n); hit("skip", in.read(), n == 1 ? 42 : 0); } }
            case "part" -> { try (InputStream in = new FileInputStream("A")) { byte[] b = new byte[3]; int n = in.read(b, 0, in.read() & 3); hit("part", b[1], n == 2 ? 42 : 0); } }
            case "scanner" -> { try (Scanner s = new Scanner(new File("A"))) { if (s.hasNextInt() && s.nextInt() == 731) throw new IllegalStateException("scanner"); } }
            case "channel" -> { try (FileChannel c = FileChannel.open(Path.of("A"))) { ByteBuffer b = ByteBuffer.allocate(4); c.read(b, 1); b.flip(); hit("channel", b.get(), b.get()); } }
            case "map" -> { try (FileChannel c = FileChannel.open(Path.of("A"))) { ByteBuffer b = c.map(FileChannel.MapMode.READ_ONLY, 0, c.size()); hit("map", b.get(0), b.get(1)); } }
            case "direct" -> { try (FileChannel c = FileChannel.open(Path.of("A"))) { ByteBuffer b = ByteBuffer.allocateDirect(4); c.read(b); hit("direct", b.get(0), b.get(1)); } }
            case "copy" -> { Files.copy(Path.of("A"), Path.of("B2"), StandardCopyOption.REPLACE_EXISTING); byte[] b = Files.readAllBytes(Path.of("B2")); hit("copy", b[0], b[1]); }
            case "write" -> { try (FileOutputStream o = new FileOutputStream("A", true)) { o.write(7); } byte[] b = Files.readAllBytes(Path.of("A")); hit("write", b[0], b[1]); }
            case "move" -> { Files.move(Path.of("A"), Path.of("M"), StandardCopyOption.REPLACE_EXISTING); byte[] b = Files.readAllBytes(Path.of("M")); hit("move", b[0], b[1]); }
            case "none" -> { if (new File("A").length() != 4) throw new IllegalStateException("none"); }
        }
    }
}
