/* C11 Annex J.2, what is undefined before a program runs. A row with `//!` has lines that clang refuses or warns about
 * (-std=c11 -Wall -Wextra -pedantic). How the rows are written: crates/cli/tests/undefined.rs. */

//# 4 | A "shall" outside of a constraint is violated | not: this is a rule about all other rows
//# 5.1.1.2 | A source file does not end with a line end, or ends in a comment | not: clang takes a missing line end as one
//# 5.1.1.2 | An open comment ends with its file
//! int x; /* no end
//# 5.1.1.2 | Joining tokens makes a universal character name | not: clang takes it as an identifier
//# 5.1.2.2.1 | main has none of the forms that the standard gives
//! double main(void) { return 0; }
//# 5.1.2.4 | A data race | not: a C program has one thread here; pthread_create ends the path as not supported
//# 5.2.1 | A source file has characters that are not of the source character set
//! int x = 1 @ 2;
//# 5.2.1.2 | An identifier, a comment or a literal has an invalid multibyte character | not: clang takes the bytes of a comment or a string as they are
//# 6.2.2 | An identifier has internal and external linkage
//! int f(void); static int f(void) { return 1; } int g(void) { return f(); }
//# 6.2.6.1 | A trap representation is made by a side effect | not: only _Bool has one on x86-64; a store to a _Bool makes 0 or 1
//# 6.2.6.2 | An operation would give a negative zero | not: numbers are two's complement
//# 6.2.7 | Declarations of one object or function have incompatible types
//! extern int x; extern long x;
//# 6.2.7 | Declarations in two translation units have incompatible types | not: the linker sees no types; a call of a function with another type is found (6.5.2.2)
//# 6.2.7 | A composite type is made of a variable array type whose size was not evaluated | not: it has no effect on x86-64
//# 6.3.2.1 | An lvalue of an incomplete type is used as a value
//! struct s; extern struct s x; void f(void) { x; }
//# 6.3.2.1 | An array of class register is converted to a pointer
//! int f(void) { register int a[2]; int *p = a; return *p; }
//# 6.3.2.2 | The value of a void expression is used
//! void g(void); int f(void) { return (int)g(); }
//# 6.3.2.3 | A pointer is converted to an integer that cannot hold it
//! int f(int *p) { return (int)p; }
//# 6.4 | A quote has no partner
//! int x = ';
//# 6.4.1 | A keyword is used as something else
//! int int = 1;
//# 6.4.2.1 | An identifier has a universal character name out of the ranges
//! int \u0024\u00a8 = 1;
//# 6.4.2.1 | An identifier begins with a universal character name of a digit
//! int \u0300x = 1;
//# 6.4.2.1 | Identifiers differ in characters only that do not count | not: all characters count
//# 6.4.2.2 | __func__ is declared
//! int f(void) { int __func__ = 1; return __func__; }
//# 6.4.7 | A header name has a quote, a backslash or the start of a comment | not: clang takes it as the name of a file
//# 6.5 | A side effect on an object is unsequenced with another one
//! int f(int i) { return i++ + i++; }
//# 6.5 | A side effect on an object is unsequenced with the use of its value
//! int f(int i, int *a) { return a[i] + i++; }
//# 6.5 | Side effects through two pointers to one object are unsequenced | not: clang orders them from left to right, and the program that is explored has this order
//# 6.5.2.3 | A member of an atomic structure is accessed
//! struct s { int a; }; int f(_Atomic(struct s) *p) { return p->a; }
//# 6.5.4 | A pointer is converted to a type that is neither an integer nor a pointer
//! double f(int *p) { return (double)p; }
//# 6.6 | An integer constant expression has operands that it may not have
//! int n; struct s { int b : n; };
//# 6.6 | A constant expression in an initializer is none
//! int n; int m = n + 1;
//# 6.6 | An arithmetic constant expression has operands that it may not have
//! int n; double m = 1.0 + n;
//# 6.6 | The value of an object is used in an address constant
//! int *p; int *q = &p[1];
//# 6.7 | An object without linkage has an incomplete type
//! void f(void) { struct s x; (void)x; }
//# 6.7.1 | A function is declared in a block with another storage class than extern
//! void f(void) { static int g(void); }
//# 6.7.2.1 | A structure or union has no named member
//! struct s { int : 3; }; struct s x;
//# 6.7.2.3 | A type is not completed where it has to be complete
//! enum e; int f(void) { return sizeof(enum e); }
//# 6.7.3 | A function type has qualifiers
//! typedef int f(void); const f g;
//# 6.7.3 | Qualified types that have to be compatible have other qualifiers
//! extern const int x; extern int x;
//# 6.7.4 | A function with external linkage is declared inline and not defined
//! inline int f(void); int g(void) { return f(); }
//# 6.7.5 | A declaration and a definition of an object have different alignments
//! _Alignas(8) extern int x; _Alignas(16) int x = 1;
//# 6.7.5 | Declarations in two translation units have different alignments | not: the linker takes the definition's
//# 6.7.6.1 | Pointer types that have to be compatible are not
//! extern int *x; extern long *x;
//# 6.7.6.2 | Array types that have to be compatible have different sizes
//! extern int x[2]; extern int x[3];
//# 6.7.6.2 | Variable array types that have to be compatible have different sizes | not: the pointer is converted; an access out of the object is found
//# 6.7.6.3 | void as the list of parameters has a qualifier or a storage class
//! int f(const void) { return 1; }
//# 6.7.6.3 | Function types that have to be compatible are not
//! int f(int); int f(long);
//# 6.7.9 | The initializer of a scalar is neither one expression nor one in braces
//! int x = {1, 2};
//# 6.7.9 | The initializer of an automatic structure is neither a list nor an expression of its type
//! struct s { int a; }; int f(void) { struct s x = 1; return x.a; }
//# 6.7.9 | The initializer of an aggregate is not in braces
//! int x[2] = 1;
//# 6.9 | An identifier with external linkage is used and not defined once
//! static int f(void); int g(void) { return f(); }
//# 6.9 | An identifier with external linkage is defined twice
//! int x = 1; int x = 2;
//# 6.9.1 | A list of identifiers lacks the types of its parameters
//! int f(a, b) int a; int c; { return a; }
//# 6.9.1 | A parameter of a definition has an incomplete type
//! int f(struct s x) { return 1; }
//# 6.9.1 | A function with variable arguments is defined without dots | not: the call then has another number of arguments than the function has parameters, which is found (6.5.2.2)
//# 6.9.2 | A tentative definition of internal linkage has an incomplete type
//! static int x[]; int f(void) { return x[0]; }
//# 6.10.1 | The expansion of #if makes the word defined
//! #define HAS defined(X)
//! #if HAS
//! #endif
//# 6.10.2 | An #include does not have one of the two forms after expansion
//! #define NAME stdio
//! #include NAME
//# 6.10.2 | The name in #include does not begin with a letter | not: clang takes every file name
//# 6.10.3 | The arguments of a macro have a directive in them
//! #define F(x) x
//! int x = F(
//! #define G 1
//! G);
//# 6.10.3.2 | The result of # is no string literal
//! #define S(x) #x
//! const char *s = S(\);
//# 6.10.3.3 | The result of ## is no token
//! #define J(a, b) a ## b
//! int x = J(+, 1);
//# 6.10.4 | #line has no number, 0 or too large a number
//! #line 0
//! #line 99999999999
//# 6.10.6 | A #pragma is one that the compiler says is undefined | not: clang has none
//# 6.10.6 | A #pragma STDC has none of the forms
//! #pragma STDC FENV_ACCESS MAYBE
//# 6.10.8 | A predefined macro is defined or undefined
//! #undef __FILE__
//# 7.1.2 | A file with the name of a standard header stands where headers are looked for | not: clang reads it like any file
//# 7.1.2 | A header is included inside of a declaration | not: clang declares its names there
//# 7.1.2 | A name of a header is used before the header is included
//! int f(void) { return puts("x"); }
//# 7.1.2 | A header is included while a keyword is a macro
//! #define int long
//! #include <stdio.h>
//# 7.1.2 | A library function is declared without external linkage
//! static int puts(const char *s); int f(void) { return puts("x"); }
//# 7.1.3 | A reserved identifier is defined
//! int printf(double x) { return (int)x; }
//# 7.1.3 | A macro with a reserved name is undefined
//! #undef __LINE__
//# 7.2 | The macro assert is suppressed
//! #include <assert.h>
//! #undef assert
//! void f(int x) { assert(x); }
//# 7.2 | The argument of assert is no scalar
//! #include <assert.h>
//! struct s { int a; }; void f(struct s x) { assert(x); }
//# 7.3.4 | A pragma of floats stands in a wrong place
//! int f(void) { int x = 1;
//! #pragma STDC FENV_ACCESS ON
//! return x; }
//# 7.5 | The macro errno is suppressed, or errno is defined | not: such a program has a variable of its own
//# 7.6.1 | Flags are tested with FENV_ACCESS off | not: the flags are the processor's, whatever the pragma says
//# 7.12 | math_errhandling is suppressed or defined | not: nothing depends on it
//# 7.12.3 | The argument of a macro of classification is no floating type
//! #include <math.h>
//! int f(int *x) { return isnan(x); }
//# 7.13 | The macro setjmp is suppressed, or a function setjmp is defined | not: setjmp is a function here
//# 7.13.1.1 | setjmp is called in another context than C allows | not: the engine keeps the whole frame, so every context works
//# 7.16.1 | A macro of stdarg.h is suppressed or defined | not: they are macros of clang's header; a program without them does not link
//# 7.16.1.1 | The type of va_arg makes no pointer type with a star behind it
//! #include <stdarg.h>
//! int f(int n, ...) { va_list ap; va_start(ap, n); int (*p)[1] = &va_arg(ap, int[1]); va_end(ap); return **p; }
//# 7.16.1.1 | The type of va_arg is changed by promotion
//! #include <stdarg.h>
//! int f(int n, ...) { va_list ap; va_start(ap, n); char c = va_arg(ap, char); va_end(ap); return c; }
//# 7.16.1.4 | The parameter of va_start is of class register, an array, or changed by promotion
//! #include <stdarg.h>
//! void f(char n, ...) { va_list ap; va_start(ap, n); va_end(ap); }
//# 7.19 | The member of offsetof is none, or a bit-field
//! #include <stddef.h>
//! struct s { int b : 3; }; size_t f(void) { return offsetof(struct s, b); }
//# 7.20.4 | The argument of INT8_C and its like is no constant that fits
//! #include <stdint.h>
//! long x = INT64_C(99999999999999999999);
//# 7.21.6.1 | A format does not fit its arguments, and is a literal
//! #include <stdio.h>
//! void f(void) { printf("%s", 1); }
//# 7.25 | An argument of a macro of tgmath.h is not compatible with the parameter
//! #include <tgmath.h>
//! double f(char *p) { return sin(p); }
//# 7.25 | A complex argument is given to a macro of tgmath.h that has no complex function
//! #include <tgmath.h>
//! double f(double complex z) { return ceil(z); }
//# 6.8.5 | A loop without side effects has no end | not: it is no row of the annex, and clang keeps the loop; the run ends at a limit, which it names

int main(void) { return 0; }
