//! Small programs, one for each feature: a function of one byte that returns what it saw as text. Different bytes take the same path if
//! and only if their texts are the same.

/// A feature by its name, with the body of `static std::string f(unsigned char x)`.
pub const FEATURES: &[(&str, &str)] = &[
    (
        "throw_and_catch",
        "try { if (x > 9) throw 1; return \"small\"; } catch (int) { return \"large\"; }",
    ),
    (
        "what_is_thrown",
        "try { if (x & 1) throw 1; if (x & 2) throw std::string(\"s\"); if (x & 4) throw 'c'; return \"no\"; }\n\
        catch (int) { return \"int\"; } catch (const std::string &s) { return s; } catch (...) { return \"other\"; }",
    ),
    (
        "bases",
        "struct A { virtual ~A() {} }; struct B : A {}; struct C { int c = 0; }; struct D : C, B {};\n\
        try { if (x == 1) throw A(); if (x == 2) throw B(); if (x == 3) throw D(); return \"no\"; }\n\
        catch (B &b) { return dynamic_cast<D *>(&b) ? \"D\" : \"B\"; } catch (A &) { return \"A\"; }",
    ),
    (
        "cleanups",
        "std::string log; struct Log { std::string &s; char c; ~Log() { s += c; } };\n\
        try { Log a{log, 'a'}; if (x == 7) throw 1; Log b{log, 'b'}; if (x == 9) throw 2; Log c{log, 'c'}; } catch (int i) { log += char('0' + i); }\n\
        return log;",
    ),
    (
        "rethrow",
        "try { try { if (x > 100) throw 1; if (x > 50) throw 'c'; } catch (...) { throw; } return \"no\"; }\n\
        catch (int) { return \"int\"; } catch (char) { return \"char\"; }",
    ),
    (
        "exception_ptr",
        "std::exception_ptr p; try { if (x < 5) throw std::runtime_error(\"few\"); } catch (...) { p = std::current_exception(); }\n\
        if (!p) return \"none\"; try { std::rethrow_exception(p); } catch (std::exception &e) { return e.what(); }",
    ),
    (
        "nested",
        "try { try { if (x == 77) throw std::logic_error(\"inner\"); } catch (...) { std::throw_with_nested(std::runtime_error(\"outer\")); } return \"no\"; }\n\
        catch (const std::exception &e) { std::string s = e.what(); try { std::rethrow_if_nested(e); } catch (const std::exception &i) { s += i.what(); } return s; }",
    ),
    (
        "uncaught_exceptions",
        "static int seen; struct Log { ~Log() { seen = std::uncaught_exceptions(); } }; seen = 9;\n\
        try { Log l; if (x & 128) throw 1; } catch (int) {} return std::to_string(seen);",
    ),
    (
        "function_try",
        "struct A { int i; A(unsigned char x) try : i(x == 3 ? throw 3 : 1) {} catch (int) { throw 'c'; } };\n\
        try { A a(x); return \"made\"; } catch (char) { return \"not made\"; }",
    ),
    (
        "constructors",
        "static std::string log; log.clear(); struct P { char c; P(char c, bool f) : c(c) { if (f) throw c; log += c; } ~P() { log += '-'; log += c; } };\n\
        struct W { P a, b; W(unsigned char x) : a('a', x == 1), b('b', x == 2) { if (x == 3) throw 'w'; } };\n\
        try { W w(x); } catch (char c) { log += '!'; log += c; } return log;",
    ),
    (
        "arrays",
        "static int made, gone; made = gone = 0; static unsigned char at; at = x; struct P { P() { if (made == at) throw 1; made++; } ~P() { gone++; } };\n\
        try { delete[] new P[3]; } catch (int) { return \"thrown \" + std::to_string(gone); } return \"all\";",
    ),
    (
        "vector_at",
        "std::vector<int> v{1, 2, 3}; try { if (x == 200) v.at(3) = 1; return \"in\"; } catch (const std::out_of_range &) { return \"out\"; }",
    ),
    (
        "bad_alloc",
        "try { if (x == 1) { std::vector<char> v(std::size_t(-1) / 2 - 1); return v.empty() ? \"a\" : \"b\"; } return \"no\"; } catch (const std::bad_alloc &) { return \"alloc\"; }",
    ),
    (
        "bad_cast",
        "struct A { virtual ~A() {} }; struct B : A {}; A a; B b; A &r = x < 3 ? a : b;\n\
        try { dynamic_cast<B &>(r); return \"B\"; } catch (const std::bad_cast &) { return \"A\"; }",
    ),
    (
        "typeid_of",
        "struct A { virtual ~A() {} }; struct B : A {}; A a; B b; A &r = x < 3 ? a : b; return typeid(r) == typeid(B) ? \"B\" : \"A\";",
    ),
    (
        "optional_value",
        "std::optional<int> o; if (x == 5) o = 6; try { return std::to_string(o.value()); } catch (const std::bad_optional_access &) { return \"none\"; }",
    ),
    (
        "variant_get",
        "std::variant<int, std::string> v; if (x & 1) v = \"text\"; try { return std::get<std::string>(v); } catch (const std::bad_variant_access &) { return \"int\"; }",
    ),
    (
        "function_empty",
        "std::function<int()> f; if (x != 0) f = [] { return 3; }; try { return std::to_string(f()); } catch (const std::bad_function_call &) { return \"empty\"; }",
    ),
    (
        "map_at",
        "std::map<std::string, int> m{{\"a\", 1}, {\"b\", 2}}; try { return std::to_string(m.at(x == 'a' ? \"a\" : \"c\")); } catch (const std::out_of_range &) { return \"no\"; }",
    ),
    (
        "stoi_fails",
        "try { return std::to_string(std::stoi(x == 1 ? \"12\" : x == 2 ? \"zz\" : \"99999999999\")); }\n\
        catch (const std::invalid_argument &) { return \"invalid\"; } catch (const std::out_of_range &) { return \"range\"; }",
    ),
    (
        "lambdas",
        "auto f = [](unsigned char x) { if (x > 128) throw x > 192; return 1; }; try { f(x); return \"low\"; } catch (bool high) { if (high) return \"high\"; return \"middle\"; }",
    ),
    (
        "streams",
        "std::ostringstream o; if (x < 10) o << \"few \" << 1.5; else o << std::hex << 255 << std::setw(4) << 7; return o.str();",
    ),
    (
        "stream_exceptions",
        "std::istringstream in(x == 4 ? \"12\" : \"q\"); in.exceptions(std::ios::failbit); int i; try { in >> i; return std::to_string(i); } catch (const std::ios_base::failure &) { return \"failure\"; }",
    ),
    (
        "shared_pointers",
        "std::weak_ptr<int> w; { auto s = std::make_shared<int>(3); w = s; if (x == 8) return std::to_string(*w.lock()); }\n\
        try { std::shared_ptr<int> s(w); return \"there\"; } catch (const std::bad_weak_ptr &) { return \"gone\"; }",
    ),
    (
        "statics",
        "static int tries; tries = 0; struct S { S(bool fails) { tries++; if (fails) throw 1; } };\n\
        for (int i = 0; i < 2; i++) try { static S s(x == 1 && i == 0); } catch (int) {} return std::to_string(tries);",
    ),
    (
        "through_sort",
        "std::vector<int> v{3, 1, 2}; try { std::sort(v.begin(), v.end(), [x](int a, int b) { if (x == 2) throw 2; return a < b; }); return std::to_string(v[0]); } catch (int) { return \"thrown\"; }",
    ),
    (
        "virtual_bases",
        "struct A { virtual ~A() {} int a = 5; }; struct L : virtual A {}; struct R : virtual A {}; struct D : L, R {};\n\
        try { if (x == 1) throw D(); if (x == 2) throw L(); return \"no\"; } catch (R &r) { return \"R\" + std::to_string(r.a); } catch (A &) { return \"A\"; }",
    ),
    (
        "ambiguous_base",
        "struct A {}; struct L : A {}; struct R : A {}; struct D : L, R {};\n\
        try { if (x == 1) throw D(); if (x == 2) throw L(); return \"no\"; } catch (A &) { return \"A\"; } catch (...) { return \"other\"; }",
    ),
    (
        "pointers",
        "struct A { virtual ~A() {} }; struct B : A {}; static B b; try { if (x == 1) throw &b; if (x == 2) throw static_cast<const A *>(&b); if (x == 3) throw nullptr; return \"no\"; }\n\
        catch (A *a) { return a ? \"A\" : \"null\"; } catch (const A *) { return \"const A\"; } catch (...) { return \"other\"; }",
    ),
    (
        "destructor_throws",
        "struct T { bool f; ~T() noexcept(false) { if (f) throw 1; } }; try { T t{x == 17}; } catch (int) { return \"thrown\"; } return \"no\";",
    ),
    (
        "ranges_and_format",
        "auto even = std::views::iota(0, 10) | std::views::filter([](int i) { return i % 2 == 0; }); int n = 0; for (int i : even) n += i; if (x == 1) n = -n; return std::to_string(n);",
    ),
    (
        "string_views",
        "std::string_view s = x < 3 ? \"abc\" : \"abcabc\"; std::string r; for (std::size_t i = 0; i < s.size(); i++) r.insert(r.begin(), s[i]); return r;",
    ),
];

/// What every program includes.
pub const HEAD: &str = "#include <algorithm>\n#include <cstdio>\n#include <exception>\n#include <functional>\n#include <iomanip>\n#include <map>\n#include <memory>\n\
#include <optional>\n#include <ranges>\n#include <sstream>\n#include <stdexcept>\n#include <string>\n#include <typeinfo>\n#include <variant>\n#include <vector>\n";
