//! Drivers of described functions: what their source must say.

use polypath_harness::driver::{self, DriverOptions};
use polypath_harness::expr::Length;
use polypath_harness::said::{KnownParameter, Said};
use polypath_harness::types::*;

const INT: Type = Type::Int {
    bits: 32,
    signed: true,
    character: false,
};
const CHAR: Type = Type::Int {
    bits: 8,
    signed: true,
    character: true,
};

fn function(params: &[(&str, TypeId)]) -> Function {
    Function {
        name: "f".into(),
        symbol: "f".into(),
        params: params
            .iter()
            .map(|(name, ty)| Param {
                name: (*name).into(),
                ty: *ty,
                nonnull: false,
                granted: false,
            })
            .collect(),
        ..Function::default()
    }
}

fn field(name: &str, ty: TypeId, offset: u64, bits: Option<u32>) -> Field {
    Field {
        name: name.into(),
        ty,
        offset,
        bits,
    }
}

fn record(name: &str, union: bool, size: u64, fields: Vec<Field>) -> Type {
    Type::Record {
        name: name.into(),
        union,
        size,
        fields,
        spelling: None,
    }
}

fn source(types: Vec<Type>, params: &[(&str, TypeId)], options: &DriverOptions) -> String {
    let d = Description {
        entry: function(params),
        types,
        ..Description::default()
    };
    driver::write(&d, options).unwrap().source
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
}

#[test]
fn an_array_has_exactly_its_length_and_a_string_its_zero() {
    let types = vec![Type::Void, INT, Type::Pointer(1), CHAR, Type::Pointer(3)];
    let text = source(
        types,
        &[("a", 2), ("n", 1), ("s", 4)],
        &DriverOptions::default(),
    );
    has(
        &text,
        &[
            "static unsigned long pp_arrays = 4, pp_arrays_before;",
            "static unsigned long pp_strings = 8, pp_strings_before;",
            "pp_arrays = 2 * pp_arrays < 64 ? 2 * pp_arrays : 64;",
            "klee_assume((unsigned long)n <= pp_arrays);",
            "int *object_1 = pp_array(n * sizeof *object_1, (pp_arrays) * sizeof *object_1, \"a\");",
            "a = pp_pick(choice_2, 1, 0, object_1);",
            "s = pp_pick(choice_3, 1, 0, pp_string(pp_strings, \"s\"));",
            "pp_entry(a, n, s);",
        ],
    );
    assert!(!text.contains("pp_stream"), "unused helpers are left out");
}

#[test]
fn options_bound_depth_null_and_alias() {
    // struct node { int value; struct node *next; };
    let node = record(
        "node",
        false,
        16,
        vec![field("value", 1, 0, None), field("next", 3, 64, None)],
    );
    let types = vec![Type::Void, INT, node, Type::Pointer(2)];
    let params = [("p", 3), ("q", 3)];
    let text = source(types.clone(), &params, &DriverOptions::default());
    has(
        &text,
        &[
            "object_3->next = 0;",
            "object_2->next = pp_pick(choice_4, 1, 0, pp_pick(choice_4, 3, object_1, pp_pick(choice_4, 2, object_2, object_3)));",
        ],
    );
    let bare = DriverOptions {
        depth: 1,
        null: false,
        alias: false,
        ..DriverOptions::default()
    };
    let text = source(types, &params, &bare);
    has(
        &text,
        &["object_1->next = 0;", "p = object_1;", "q = object_2;"],
    );
    assert!(!text.contains("pp_choice"), "nothing is left to choose");
}

#[test]
fn records_keep_their_layout() {
    let short = Type::Int {
        bits: 16,
        signed: true,
        character: false,
    };
    let types = vec![
        Type::Void,
        INT,
        short,
        record(
            "natural",
            false,
            8,
            vec![
                field("a", 1, 0, Some(3)),
                field("b", 1, 3, Some(5)),
                field("c", 1, 32, None),
            ],
        ),
        record(
            "packed",
            false,
            6,
            vec![field("s", 2, 0, None), field("i", 1, 16, None)],
        ),
        record("wide", false, 16, vec![field("i", 1, 64, None)]),
        record(
            "either",
            true,
            4,
            vec![field("i", 1, 0, None), field("s", 2, 0, None)],
        ),
    ];
    let params = [("n", 3), ("p", 4), ("w", 5), ("e", 6)];
    let text = source(types, &params, &DriverOptions::default());
    has(
        &text,
        &[
            "struct natural {\n    int a : 3;\n    int b : 5;\n    int c;\n};",
            "struct packed {\n    short s;\n    int i;\n} __attribute__((packed));",
            "struct wide {\n    unsigned char pad_1[8];\n    int i;\n    unsigned char pad_2[4];\n} __attribute__((packed));",
            "union either {\n    int i;\n    short s;\n};",
            "_Static_assert(sizeof(struct packed) == 6",
        ],
    );
}

#[test]
fn given_lengths_bound_the_fields_that_they_name() {
    // struct vector { unsigned long size, stride; double *data; };
    let long = Type::Int {
        bits: 64,
        signed: false,
        character: false,
    };
    let double = Type::Float(FloatKind::Double);
    let fields = vec![
        field("size", 1, 0, None),
        field("stride", 1, 64, None),
        field("data", 3, 128, None),
    ];
    let vector = record("vector", false, 24, fields);
    let types = vec![
        Type::Void,
        long,
        double,
        Type::Pointer(2),
        vector,
        Type::Pointer(4),
    ];
    let options = DriverOptions {
        lengths: vec![(
            "v->data".into(),
            Length::parse("2*v->size*v->stride:3").unwrap(),
        )],
        ..DriverOptions::default()
    };
    let text = source(types.clone(), &[("v", 5)], &options);
    has(
        &text,
        &[
            "klee_assume((unsigned long)object_1->size <= 3);",
            "klee_assume((unsigned long)object_1->stride <= 3);",
            "pp_new(18 * sizeof *object_2, \"v->data\");",
        ],
    );
    // A constructor would give it others.
    let constructor = Maker {
        of: "vector".into(),
        function: Function {
            name: "vector_init".into(),
            symbol: "vector_init".into(),
            ..function(&[("v", 5)])
        },
        how: How::Fills { success: None },
    };
    let made = Description {
        entry: function(&[("v", 5)]),
        types: types.clone(),
        makers: vec![constructor],
        ..Description::default()
    };
    assert_eq!(driver::write(&made, &options).unwrap().source, text);
    let text = driver::write(&made, &DriverOptions::default())
        .unwrap()
        .source;
    has(
        &text,
        &[
            "if (pp_by_hand) polypath_defer();",
            "pp_make_1((void *)object_5);",
            "if (pp_by_hand == 1) klee_assume(choice_6 != 1);",
        ],
    );
    // What it made stays as it is.
    let by_constructor = text.split("    else {").nth(1).unwrap_or_default();
    assert!(!by_constructor.contains("->data"), "{text}");
    let by_hand = DriverOptions {
        by_hand: true,
        ..DriverOptions::default()
    };
    let text = driver::write(&made, &by_hand).unwrap().source;
    has(&text, &["\"v->data\""]);
    let wrong = DriverOptions {
        lengths: vec![("v->dta".into(), Length::parse("3").unwrap())],
        ..DriverOptions::default()
    };
    let d = Description {
        entry: function(&[("v", 5)]),
        types,
        ..Description::default()
    };
    let why = driver::write(&d, &wrong).unwrap_err();
    assert!(why.contains("v->dta") && why.contains("v->data"), "{why}");
}

#[test]
fn a_length_counts_what_has_its_name() {
    // struct element { char *name; int num_attrs; struct attr { char *name, *value; } *attrs; };
    let attr = record(
        "attr",
        false,
        16,
        vec![field("name", 3, 0, None), field("value", 3, 64, None)],
    );
    let element = record(
        "element",
        false,
        24,
        vec![
            field("name", 3, 0, None),
            field("num_attrs", 1, 64, None),
            field("attrs", 5, 128, None),
        ],
    );
    let types = vec![
        Type::Void,
        INT,
        CHAR,
        Type::Pointer(2),
        attr,
        Type::Pointer(4),
        element,
        Type::Pointer(6),
    ];
    let text = source(types, &[("e", 7)], &DriverOptions::default());
    has(
        &text,
        &[
            "pp_string(pp_strings, \"e->name\")",
            "klee_assume((unsigned long)object_1->num_attrs <= 4);",
            "pp_new(4 * sizeof *object_3, \"e->attrs\")",
            "pp_string(pp_strings, \"e->attrs[3].value\")",
        ],
    );
}

#[test]
fn enumerations_are_restricted_but_flags_are_not() {
    let enumeration = |values: &[i64]| Type::Enum {
        bits: 32,
        signed: false,
        values: values.to_vec(),
    };
    let of = |values: &[i64]| {
        source(
            vec![Type::Void, enumeration(values)],
            &[("e", 1)],
            &DriverOptions::default(),
        )
    };
    has(
        &of(&[0, 1, 2]),
        &["klee_assume((unsigned long)((long)e - (0l)) <= 2ul);"],
    );
    has(
        &of(&[0, 7]),
        &["klee_assume(((long)e == 0l) | ((long)e == 7l));"],
    );
    assert!(!of(&[0, 1, 2, 4, 8]).contains("klee_assume("));
}

#[test]
fn what_cannot_be_called_is_refused_by_name() {
    let mut d = Description {
        entry: function(&[("z", 1)]),
        types: vec![Type::Void, Type::Unsupported("vector".into())],
        ..Description::default()
    };
    let why = driver::write(&d, &DriverOptions::default()).unwrap_err();
    assert!(
        why.contains("parameter z of f") && why.contains("vector"),
        "{why}"
    );
    d.entry.params.clear();
    d.entry.variadic = true;
    let why = driver::write(&d, &DriverOptions::default()).unwrap_err();
    assert!(why.contains("variable number"), "{why}");
}

#[test]
fn what_a_constructor_hands_over_is_made_by_hand_only_where_it_never_is() {
    let types = vec![
        Type::Void,
        INT,
        record("box", false, 4, vec![field("kind", 1, 0, None)]),
        Type::Pointer(2),
        Type::Pointer(3),
    ];
    let opens = Maker {
        of: "box".into(),
        function: Function {
            name: "box_open".into(),
            symbol: "box_open".into(),
            ..function(&[("kind", 1), ("out", 4)])
        },
        how: How::Out {
            at: 1,
            success: Some(0),
        },
    };
    let d = Description {
        entry: function(&[("b", 3)]),
        types,
        makers: vec![opens],
        private: vec!["box".into()],
        ..Description::default()
    };
    let text = driver::write(&d, &DriverOptions::default()).unwrap().source;
    has(
        &text,
        &[
            "if (pp_by_hand > 0) {",
            "if (!polypath_none_made()) klee_silent_exit(0);",
            "if (pp_by_hand > 1) {",
            "struct box *object_3 = 0;",
            "if (pp_make_1(part_4, (void *)&object_3) != 0 || !object_3) klee_silent_exit(0);",
            "if (pp_by_hand < 2) polypath_made();",
        ],
    );
}

#[test]
fn a_length_that_is_said_takes_the_place_of_a_guessed_one() {
    let types = vec![
        Type::Void,
        INT,
        Type::Pointer(1),
        record(
            "series",
            false,
            24,
            vec![
                field("values", 2, 0, None),
                field("n", 1, 64, None),
                field("upto", 1, 96, None),
            ],
        ),
        Type::Pointer(3),
    ];
    let header = "struct series { int *values COUNTED_BY(upto); int n, upto; };\n\
                  int f(int *a, int n, int most, struct series *s) __attribute__((access(read_write, 1, 3)));";
    let params = [("a", 2), ("n", 1), ("most", 1), ("s", 4)];
    let known = params.map(|(name, ty)| KnownParameter {
        name,
        is_pointer: ty != 1,
    });
    let mut said = Said::default();
    said.read("f.h", header, "f", &known);
    let mut d = Description {
        entry: function(&params),
        types,
        said,
        ..Description::default()
    };
    let options = DriverOptions::default();
    let driver = driver::write(&d, &options).unwrap();
    has(
        &driver.source,
        &["pp_array(most * sizeof", "->upto <= pp_arrays"],
    );
    assert!(
        driver.notes.contains(&"a has most elements (f.h:2)".into()),
        "{:?}",
        driver.notes
    );
    d.said = Said::default();
    let guessed = driver::write(&d, &options).unwrap().source;
    has(&guessed, &["pp_array(n * sizeof", "->n <= pp_arrays"]);
}
