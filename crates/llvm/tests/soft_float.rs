//! Of the functions that simulate float operations, a program gets those of the operations that it has.

use polypath_llvm::{LowerOptions, lower_program};

const HEAD: &str = r#"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-musl"
"#;

/// Two functions, one of which has a table, and one that both call.
const FUNCTIONS: &str = r#"
@table = internal constant [2 x i64] [i64 3, i64 5]
define internal i64 @part(i64 %a, i64 %b) noinline {
  %at = and i64 %a, 1
  %p = getelementptr [2 x i64], ptr @table, i64 0, i64 %at
  %v = load i64, ptr %p
  %s = add i64 %v, %b
  ret i64 %s
}
define i64 @__polypath_soft_add_f64(i64 %a, i64 %b) {
  %s = call i64 @part(i64 %a, i64 %b)
  ret i64 %s
}
define i64 @__polypath_soft_mul_f64(i64 %a, i64 %b) {
  %s = call i64 @part(i64 %b, i64 %a)
  ret i64 %s
}
define i1 @__polypath_soft_olt_f32(i32 %a, i32 %b) {
  %c = icmp ult i32 %a, %b
  ret i1 %c
}
"#;

const FLOATS: &str = r#"
@seen = global double 1.0
@callee = global ptr @outside
declare void @outside()
define i32 @main() {
  %f = load ptr, ptr @callee
  call void %f()
  %x = load double, ptr @seen
  %y = fmul double %x, %x
  store double %y, ptr @seen
  ret i32 0
}
"#;

const INTEGERS: &str = r#"
@seen = global i64 1
define i32 @main() {
  %x = load i64, ptr @seen
  %y = mul i64 %x, %x
  store i64 %y, ptr @seen
  ret i32 0
}
"#;

fn lowered(name: &str, program: &str) -> ir::Module {
    let dir = std::env::temp_dir().join(format!("polypath-soft-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.join(name);
        std::fs::write(&path, format!("{HEAD}{text}")).unwrap();
        path
    };
    let options = LowerOptions {
        inputs: vec![write("program.ll", program)],
        soft_float: Some(write("soft.ll", FUNCTIONS)),
        emit_llvm: Some(dir.join("out.ll")),
        ..LowerOptions::default()
    };
    let module = lower_program(&options).unwrap();
    // What modelled replay runs is what the IR was made of.
    let emitted = std::fs::read_to_string(dir.join("out.ll")).unwrap();
    for f in &module.functions {
        let begins = format!("@{}(", f.name);
        assert!(emitted.contains(&begins), "{begins} {emitted}");
    }
    std::fs::remove_dir_all(&dir).unwrap();
    ir::Module::clone(&module)
}

#[test]
fn a_program_has_the_functions_of_its_own_operations() {
    let module = lowered("floats", FLOATS);
    let names: Vec<&str> = module.functions.iter().map(|f| &f.name[..]).collect();
    assert_eq!(names, ["main", "__polypath_soft_mul_f64", "part"]);
    let [(op, function)] = module.soft_floats[..] else {
        panic!("{:?}", module.soft_floats)
    };
    assert_eq!(op.symbol(), module.functions[function as usize].name);
    // Their table lies behind the program's variables.
    let globals: Vec<&str> = module.globals.iter().map(|g| &g.name[..]).collect();
    assert_eq!(globals, ["seen", "callee", "table"]);
    let (callee, table) = (&module.globals[1], &module.globals[2]);
    assert!(table.address >= callee.address + callee.size);
    assert_eq!(table.init, [&3u64.to_le_bytes()[..], &[5]].concat());
    // An external function has its address behind all others.
    let address = ir::layout::extern_address(module.functions.len(), 0);
    let mut pointer = callee.init.clone();
    pointer.resize(8, 0);
    assert_eq!(pointer, address.to_le_bytes());
}

#[test]
fn a_program_without_floats_has_none() {
    let module = lowered("integers", INTEGERS);
    let names: Vec<&str> = module.functions.iter().map(|f| &f.name[..]).collect();
    assert_eq!(names, ["main"]);
    assert!(module.soft_floats.is_empty());
}
