import java.lang.reflect.*;
import java.lang.invoke.*;
import java.util.*;
/** Values that depend on input, read by code that looks into objects past their methods. In each, 123456 divides by zero. */
public class Peeks {
    int field;
    static int sfield;
    static int[] arr = new int[4];
    static boolean magic(int x) { return x == 123456; }
    static Integer boxed(Integer x) { return x; }
    static int reflect(int x) throws Exception { Method m = Peeks.class.getDeclaredMethod("magic", int.class); return (Boolean) m.invoke(null, x) ? 1 / (x - 123456) : 0; }
    static int reflectBox(int x) throws Exception { Method m = Peeks.class.getDeclaredMethod("boxed", Integer.class); int y = (Integer) m.invoke(null, x); return 1 / (y - 123456); }
    static int reflectObject(int x) throws Exception { Peeks r = new Peeks(); r.field = x; Method m = Peeks.class.getDeclaredMethod("more", long.class, byte.class); return (int) (1 / ((Long) m.invoke(r, 5L, (byte) 2) - 123463)); }
    long more(long a, byte b) { return field + a + b; }
    static int reflectSmall(int x) throws Exception { Peeks r = new Peeks(); r.field = 3; Method m = Peeks.class.getDeclaredMethod("more", long.class, byte.class); return (int) (1 / ((Long) m.invoke(r, (long) x * 2, (byte) (x >> 9)) - 246912 - 3 + 15)); }
    static int reflectNew(int x) throws Exception { Constructor<?> k = Holder.class.getDeclaredConstructor(int.class, String.class); return 1 / (((Holder) k.newInstance(x, "a")).v - 123457); }
    static int reflectVirtual(int x) throws Exception { Method m = java.util.function.IntPredicate.class.getMethod("test", int.class); java.util.function.IntPredicate p = y -> y == 123456; return (Boolean) m.invoke(p, x) ? 1 / (x - 123456) : 0; }
    static int reflectLibrary(int x) throws Exception { Method m = Math.class.getMethod("addExact", int.class, int.class); try { return 1 / ((Integer) m.invoke(null, x, 1) - 123457); } catch (InvocationTargetException e) { return x == Integer.MAX_VALUE ? 2 : 1 / 0; } }
    static int reflectRefused(int x) throws Exception { Method m = Hidden.class.getDeclaredMethod("h", int.class); try { return (Integer) m.invoke(null, x); } catch (IllegalAccessException e) { m.setAccessible(true); return 1 / ((Integer) m.invoke(null, x) - 123457); } }
    static int reflectWrong(int x) throws Exception { Method m = Peeks.class.getDeclaredMethod("magic", int.class); try { m.invoke(null, 1, 2); } catch (IllegalArgumentException e) { return 1 / (x - 123456); } return 5; }
    static int reflectWide(int x) throws Exception { Peeks r = new Peeks(); Method m = Peeks.class.getDeclaredMethod("more", long.class, byte.class); return (int) (1 / ((Long) m.invoke(r, x, (byte) 2) - 123458)); }
    static int fieldSet(int x) throws Exception { Peeks r = new Peeks(); Field f = Peeks.class.getDeclaredField("field"); f.setInt(r, x); return 1 / (r.field - 123456); }
    static int fieldGet(int x) throws Exception { Peeks r = new Peeks(); r.field = x; Field f = Peeks.class.getDeclaredField("field"); return 1 / (f.getInt(r) - 123456); }
    static int fieldGetBox(int x) throws Exception { Peeks r = new Peeks(); r.field = x; Field f = Peeks.class.getDeclaredField("field"); return 1 / ((Integer) f.get(r) - 123456); }
    static int fieldPut(int x) throws Exception { Peeks r = new Peeks(); r.field = x; Field f = Peeks.class.getDeclaredField("field"); f.set(r, x + 1); return 1 / (r.field - 123457); }
    static int fieldPutWide(int x) throws Exception { Peeks r = new Peeks(); Field f = Peeks.class.getDeclaredField("wide"); f.set(r, x + 1); return (int) (1 / (r.wide - 123457)); }
    static int fieldPutNull(int x) throws Exception { Peeks r = new Peeks(); r.field = x; Field f = Peeks.class.getDeclaredField("field"); try { f.set(r, null); } catch (IllegalArgumentException e) { return 1 / (r.field - 123456); } return 4; }
    static int fieldOver(int x) throws Exception { Peeks r = new Peeks(); r.field = x; Field f = Peeks.class.getDeclaredField("field"); f.setInt(r, 5); if (r.field != 5) return 3; f.set(null == f ? null : r, 6); return r.field == 6 ? 1 / (x - 123456) : 4; }
    static int fieldStatic(int x) throws Exception { sfield = x; Field f = Peeks.class.getDeclaredField("sfield"); int y = f.getInt(null); f.setInt(null, y + 1); return 1 / (sfield - 123457); }
    static int fieldWide(int x) throws Exception { Peeks r = new Peeks(); r.field = x; Field f = Peeks.class.getDeclaredField("field"); return (int) (1 / (f.getLong(r) - 123456)); }
    static int fieldSmall(int x) throws Exception { Peeks r = new Peeks(); r.small = (byte) x; Field f = Peeks.class.getDeclaredField("small"); int y = (Byte) f.get(r) + f.getInt(r); return 1 / (y - 14); }
    static int fieldOther(int x) throws Exception { Peeks r = new Peeks(); r.text = "a" + (char) x; Field f = Peeks.class.getDeclaredField("text"); String t = (String) f.get(r); return 1 / (t.charAt(1) - 'b'); }
    static int varHandleOver(int x) throws Throwable { VarHandle h = MethodHandles.lookup().findVarHandle(Peeks.class, "field", int.class); Peeks r = new Peeks(); r.field = x; h.set(r, 7); return r.field == 7 ? 1 / (x - 123456) : 4; }
    byte small;
    long wide;
    String text;
    static int arrayGet(int x) { int[] a = {x, 1}; return 1 / (Array.getInt(a, 0) - 123456); }
    static int arraySet(int x) { int[] a = {0, 1}; Array.setInt(a, 0, x); return 1 / (a[0] - 123456); }
    static int arrayGetBox(int x) { int[] a = {1, x}; return 1 / ((Integer) Array.get(a, 1) - 123456); }
    static int arraySetBox(int x) { long[] a = {0, 1}; Array.set(a, 1, Long.valueOf(x)); return (int) (1 / (a[1] - 123456)); }
    static int arrayIndex(int x) { byte[] a = {3, 5, 8}; if (x < 0 || x > 2) return 9; return 1 / (Array.getByte(a, x) - 8); }
    static int arrayRange(int x) { char[] a = new char[2]; try { Array.setChar(a, x, 'c'); } catch (ArrayIndexOutOfBoundsException e) { return x == 77 ? 1 / (x - 77) : 3; } return a[1]; }
    static int arrayOver(int x) { int[] a = {x, 1}; Array.setInt(a, 0, 5); return a[0] != 5 ? 3 : 1 / (x - 123456); }
    static int arrayWide(int x) { int[] a = {x, 1}; return (int) (1 / (Array.getLong(a, 0) - 123456)); }
    static int arrayRefused(int x) { int[] a = {x, 1}; try { Array.setLong(a, 0, x); return 4; } catch (IllegalArgumentException e) { return 1 / (a[0] - 123456); } }
    static int handle(int x) throws Throwable { MethodHandle h = MethodHandles.lookup().findStatic(Peeks.class, "magic", MethodType.methodType(boolean.class, int.class)); return (boolean) h.invokeExact(x) ? 1 / (x - 123456) : 0; }
    static int handleGet(int x) throws Throwable { MethodHandle h = MethodHandles.lookup().findGetter(Peeks.class, "field", int.class); Peeks r = new Peeks(); r.field = x; return 1 / ((int) h.invokeExact(r) - 123456); }
    static int handleSet(int x) throws Throwable { MethodHandle h = MethodHandles.lookup().findSetter(Peeks.class, "field", int.class); Peeks r = new Peeks(); h.invokeExact(r, x); return 1 / (r.field - 123456); }
    static int handleVirtual(int x) throws Throwable { MethodHandle h = MethodHandles.lookup().findVirtual(String.class, "charAt", MethodType.methodType(char.class, int.class)); return 1 / ((char) h.invokeExact("hello", x & 7) - 'l'); }
    static int handleNew(int x) throws Throwable { MethodHandle h = MethodHandles.lookup().findConstructor(StringBuilder.class, MethodType.methodType(void.class, int.class)); return ((StringBuilder) h.invokeExact(x & 63)).capacity() == 17 ? 1 / 0 : 0; }
    static int handleGeneric(int x) throws Throwable { MethodHandle h = MethodHandles.lookup().findVirtual(java.util.List.class, "get", MethodType.methodType(Object.class, int.class)); return 1 / ((Integer) h.invoke(java.util.List.of(5, 6, 7), x & 1) - 6); }
    static int handleBound(int x) throws Throwable { MethodHandle h = MethodHandles.lookup().findVirtual(String.class, "charAt", MethodType.methodType(char.class, int.class)).bindTo("hello"); return 1 / ((char) h.invokeExact(x & 3) - 'l'); }
    static int handleConverted(int x) throws Throwable { MethodHandle h = MethodHandles.lookup().findStatic(Peeks.class, "magic", MethodType.methodType(boolean.class, int.class)); return (boolean) h.invoke((short) x) ? 1 : 0; }
    static int varHandleSet(int x) throws Throwable { VarHandle h = MethodHandles.lookup().findVarHandle(Peeks.class, "field", int.class); Peeks r = new Peeks(); h.set(r, x); return 1 / (r.field - 123456); }
    static int varHandleGet(int x) throws Throwable { VarHandle h = MethodHandles.lookup().findVarHandle(Peeks.class, "field", int.class); Peeks r = new Peeks(); r.field = x; return 1 / ((int) h.get(r) - 123456); }
    static int varHandleArray(int x) throws Throwable { VarHandle h = MethodHandles.arrayElementVarHandle(int[].class); int[] a = {x, 2}; return 1 / ((int) h.getVolatile(a, 0) - 123456); }
    static int clone(int x) throws Exception { Holder h = new Holder(); h.v = x; return 1 / (((Holder) h.clone()).v - 123456); }
    static class Holder implements Cloneable { int v; Holder() {} Holder(int v, String s) { this.v = v + s.length(); } public Object clone() throws CloneNotSupportedException { return super.clone(); } }
    static int serial(int x) throws Exception { java.io.ByteArrayOutputStream b = new java.io.ByteArrayOutputStream(); java.io.ObjectOutputStream o = new java.io.ObjectOutputStream(b); o.writeObject(Integer.valueOf(x)); o.flush(); Integer y = (Integer) new java.io.ObjectInputStream(new java.io.ByteArrayInputStream(b.toByteArray())).readObject(); return 1 / (y - 123456); }
    static int proxy(int x) { java.util.function.IntPredicate p = (java.util.function.IntPredicate) Proxy.newProxyInstance(Peeks.class.getClassLoader(), new Class<?>[] {java.util.function.IntPredicate.class}, (o, m, a) -> ((Integer) a[0]) == 123456); return p.test(x) ? 1 / (x - 123456) : 0; }
    static int thread(int x) throws Exception { int[] a = new int[1]; Thread t = new Thread(() -> a[0] = x + 1); t.start(); t.join(); return 1 / (a[0] - 123457); }
    static int zip(int x) { java.util.zip.CRC32 c = new java.util.zip.CRC32(); c.update(x); return (int) c.getValue() == 0xd202ef8d ? 1 / 0 : 0; }
    static int sha256(int x) throws Exception { if (x < 0 || x >= 60) return 0; byte[] h = java.security.MessageDigest.getInstance("SHA-256").digest(new byte[] {(byte) x, 1, 2}); return h[0] == 90 && h[1] == -39 ? 1 / 0 : 0; }
    static int sha1(int x) throws Exception { if (x < 0 || x >= 60) return 0; byte[] h = java.security.MessageDigest.getInstance("SHA-1").digest(new byte[] {(byte) x, 1, 2}); return h[0] == -52 && h[1] == 122 ? 1 / 0 : 0; }
    static int sha512(int x) throws Exception { if (x < 0 || x >= 60) return 0; byte[] h = java.security.MessageDigest.getInstance("SHA-512").digest(new byte[] {(byte) x, 1, 2}); return h[0] == -73 && h[1] == -16 ? 1 / 0 : 0; }
    static int md5(int x) throws Exception { if (x < 0 || x >= 60) return 0; byte[] h = java.security.MessageDigest.getInstance("MD5").digest(new byte[] {(byte) x, 1, 2}); return h[0] == -103 && h[1] == 1 ? 1 / 0 : 0; }
    static int deflate(int x) { java.util.zip.Deflater d = new java.util.zip.Deflater(); d.setInput(new byte[] {(byte) x}); d.finish(); byte[] b = new byte[64]; d.deflate(b); return b[3] == 5 ? 1 / 0 : 0; }
    static int ident(int x) { IdentityHashMap<Integer,Integer> m = new IdentityHashMap<>(); m.put(x & 63, 1); return m.containsKey(17) ? 1 / 0 : 0; }
    static int queue(int x) throws Exception { var q = new java.util.concurrent.LinkedBlockingQueue<Integer>(); q.put(x); return 1 / (q.take() - 123456); }
    static int future(int x) throws Exception { var f = java.util.concurrent.CompletableFuture.completedFuture(x); return 1 / (f.get() - 123456); }
    static int swap(int x) { var r = new java.util.concurrent.atomic.AtomicReference<Integer>(x & 63); return r.compareAndSet(17, 5) ? 1 / 0 : 0; }
}
class Hidden {
    private static int h(int x) { return x + 1; }
}
