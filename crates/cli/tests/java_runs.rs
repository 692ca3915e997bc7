//! Each run of a Java program sees its classes as a JVM does that was started for it: classes begin when this run first uses them, and read what
//! this run has done before. The programs throw where a run differs; replay runs each input on a plain JVM.
//!
//! They were found when classes were kept from one run to the next with their static fields put back: a class that has begun in an earlier run does not
//! begin again, whatever it would read now.

use crate::java_kit::{javac, polypath, replay};
use testkit::{need, place};

/// Name, classes beside it, and the body of a method of `int x`.
#[rustfmt::skip]
const PROGRAMS: &[(&str, &str, &str)] = &[
    ("Another", "class A { static int v = 1; } class B { static int w = A.v; }",
        "if (x > 10) A.v = 7; if (B.w != (x > 10 ? 7 : 1)) throw new IllegalStateException();"),
    ("InheritedRead", "class A { static int v = 1; } class B extends A { static int w = v; }",
        "if (x > 10) A.v = 7; if (B.w != (x > 10 ? 7 : 1)) throw new IllegalStateException();"),
    ("InheritedWrite", "class A { static int v = 1; } class B extends A { static int w = 3; static { v = 5; } static int get() { return w; } }",
        "if (x == 5) x++; B.get(); if (A.v != 5) throw new IllegalStateException(); if (x == 12) return;"),
    ("InheritedArray", "class A { static int[] t = {1, 2}; } class B extends A { static int w = 1; static { t[0] = 40; } static int get() { return w; } }",
        "B.get(); if (A.t[0] != 40) throw new IllegalStateException(); if (x > 10) return;"),
    ("Element", "class A { static int[] a = {0, 0}; } class B { static int b = A.a[0]; static int c; }",
        "A.a[0] = x; if (B.b != x) throw new IllegalStateException(); if (x == 77) return;"),
    ("Clone", "class A { static byte[] buf = new byte[8]; } class B { static int n = 3; static byte[] own = A.buf.clone(); }",
        "A.buf[0] = (byte) x; if (B.own[0] != (byte) x) throw new IllegalStateException(); if (x == 77) return;"),
    ("Size", "class A { static int size = 4; } class B { static final int[] DATA = new int[A.size]; }",
        "if (x > 0 && x < 5) A.size = x; int size = B.DATA.length; if (size != (x > 0 && x < 5 ? x : 4)) throw new IllegalStateException();"),
    ("Property", "class A { static String mode = System.getProperty(\"mode.x\", \"none\"); static int n; }",
        "System.setProperty(\"mode.x\", x > 10 ? \"a\" : \"b\"); if (!A.mode.equals(x > 10 ? \"a\" : \"b\")) throw new IllegalStateException();"),
    ("Language", "class A { static final java.util.Locale L = java.util.Locale.getDefault(); static int n; }",
        "java.util.Locale.setDefault(x > 10 ? java.util.Locale.FRANCE : java.util.Locale.US); A.n++; \
         if (A.L.equals(java.util.Locale.FRANCE) != (x > 10)) throw new IllegalStateException();"),
    ("Loader", "class A { static int n; static { Thread.currentThread().setContextClassLoader(null); } }",
        "A.n++; if (Thread.currentThread().getContextClassLoader() != null) throw new IllegalStateException(); if (x > 10) return;"),
    // Tables of constants, for which no class is loaded anew: one that the JVM could not begin for want of stack, one that is changed through what
    // names no field, and one of an annotation.
    ("NoStack", "class Table { private static final int[] T = {1, 2, 3}; static int at(int k) { return T[k]; } } \
                 class Deep { static int down(int d) { Table[] one = new Table[1]; try { return down(d + 1); } finally { one[0] = null; Table.at(d % 3); } } }",
        "if (x > 50 || x == 3) { if (Table.at(2) != 3) throw new IllegalStateException(); return; } try { Deep.down(0); } catch (Throwable e) { }"),
    ("Reflected", "class Table { private static final int[] T = {1, 2}; static int first() { return T[0]; } \
                   static void change() { try { Object f = Class.class.getMethod(\"getDeclaredField\", String.class).invoke(Table.class, \"T\"); \
                   ((java.lang.reflect.AccessibleObject) f).setAccessible(true); \
                   java.lang.reflect.Array.setInt(f.getClass().getMethod(\"get\", Object.class).invoke(f, (Object) null), 0, 40); } \
                   catch (ReflectiveOperationException e) { throw new IllegalStateException(e); } } }",
        "if (Table.first() != 1) throw new IllegalStateException(); if (x > 10) return; Table.change(); if (x == 3) return;"),
    ("Annotated", "@interface Own { int[] T = {1, 2}; }",
        "if (Own.T[0] != 1) throw new IllegalStateException(); Own.T[0] = 40; if (x > 10) return;"),
];

#[test]
fn a_run_sees_classes_as_a_jvm_that_was_started_for_it() {
    if !need("java") {
        return;
    }
    let place = place!("runs");
    for (name, classes, body) in PROGRAMS {
        let source =
            format!("{classes} public class {name} {{ public static void f(int x) {{ {body} }} }}");
        place.write(&format!("{name}.java"), source);
        javac(&place, ".", name, &[format!("{name}.java").into()]);
        let (entry, out) = (format!("{name}.f"), format!("out-{name}"));
        let ran = polypath(
            &place,
            &["java", "run", name, "--entry", &entry, "--out", &out],
        );
        assert_eq!(ran.status.code(), Some(0), "{name}: {ran:?}");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(said.contains("everything was explored"), "{name}: {said}");
        let stats = testkit::json(&place.join(&out).join("stats.json"));
        assert!(
            stats["completed_paths"].as_u64() >= Some(2),
            "{name}: {stats}"
        );
        let (code, _, said) = replay(&place, &out);
        assert_eq!(code, Some(0), "{name}: {said}");
    }
}
