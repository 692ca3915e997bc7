// run: --check memory,assert,div,shift,builtin,align,overlap,scope,varargs,libc,pedantic,overflow,bounds,uninit,function-type,memcmp,fp-cast,fp-overflow
/* C11 Annex J.2, clauses 5 and 6: what a program can run into. How the rows are written: crates/cli/tests/undefined.rs. */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "klee/klee.h"

static volatile int sink;
static void use(int x) { sink = x; }
static int never_set(int bad) {
    int x;
    if (!bad) x = 1;
    return x; //~ uninitialized
}
static int *volatile kept;
static void keep_local(void) {
    int local = 1;
    kept = &local;
}
static int nothing(int bad) {
    if (!bad) return 1;
}
static int two(int a, int b) { return a + b; }
static double as_double(double x) { return x; }
static int variadic(int n, ...) { return n; }
_Noreturn static void comes_back(int bad) {
    if (!bad) exit(0);
}
static int wants_static(int a[static 4]) { return a[3]; } //~ out_of_bounds
static void doubled(int *restrict p, int *restrict q) {
    *p = 1;
    *q = 2;
}
struct flexible {
    int n;
    char bytes[];
};
struct pair {
    char c;
    int i;
};
union number {
    float f;
    int i;
};

int main(void) {
    int row = klee_range(0, 61, "row");
    int bad = klee_range(0, 2, "bad");
    static int global[4];
    static int other[4];
    int *volatile none = NULL;

    switch (row) {
    //# 6.2.4 | An object is used outside of its lifetime
    case 1: {
        keep_local();
        use(bad ? *kept : 0); //~ use_after_free
        break;
    }
    //# 6.2.4 | The value of a pointer is used whose object is gone | not: a pointer that only is compared or copied does no harm on machines with flat addresses; its use for an access is found
    case 2: {
        keep_local();
        use(bad ? kept == none : 0);
        break;
    }
    //# 6.2.4 | An object of a block is used after the block
    case 3: {
        int *volatile p;
        {
            int local = 1;
            p = &local;
        }
        use(bad ? *p : 0); //~ use_after_free
        break;
    }
    //# 6.2.4, 6.7.9, 6.8 | The value of an automatic object is used while it is indeterminate
    case 4: {
        int x;
        int *volatile p = &x;
        if (!bad) *p = 1;
        use(*p); //~ uninitialized
        break;
    }
    //# 6.2.6.1 | A trap representation is read by an lvalue of a type without characters | not: no type of x86-64 but _Bool has one; a _Bool of 2 is read as its lowest bit
    case 5: {
        unsigned char byte = bad ? 2 : 1;
        _Bool b;
        memcpy(&b, &byte, 1);
        use(b);
        break;
    }
    //# 6.3.1.4 | A float is converted to an integer type that it does not fit
    case 6: {
        volatile double big = bad ? 1e10 : 1.0;
        use((int)big); //~ fp_cast
        break;
    }
    //# 6.3.1.5 | A float is converted to a smaller float type that it does not fit
    case 7: {
        volatile double big = bad ? 1e300 : 1.0;
        volatile float f = (float)big; //~ fp_overflow
        break;
    }
    //# 6.3.2.1 | An lvalue designates no object when it is evaluated
    case 8: use(*(bad ? none : global)); break; //~ null
    //# 6.3.2.1 | The value of an object is used that could be in a register and was never set | found: in never_set
    case 9: use(never_set(bad)); break;
    //# 6.3.2.3 | A pointer is converted to a type for which it is not aligned: a vector
    case 60: {
        typedef int vector __attribute__((vector_size(16)));
        static _Alignas(16) char bytes[32];
        use((*(vector *)(void *)(bytes + 4 * bad))[0]); //~ misaligned
        break;
    }
    //# 6.3.2.3 | A pointer is converted to a type for which it is not aligned: a scalar | native: x86-64 reads scalars at any address; an optimizer may read several of them by an instruction that does not
    case 10: {
        char bytes[8] = {0};
        use(*(int *)(void *)(bytes + bad));
        break;
    }
    //# 6.3.2.3 | A function is called through a pointer of an incompatible type
    case 11: {
        int (*volatile f)(int) = (int (*)(int))two;
        int (*volatile g)(int, int) = two;
        use(bad ? f(1) : g(1, 2)); //~ function_type
        break;
    }
    //# 6.5 | An operation has a result that its type does not hold
    case 12: use(bad + INT_MAX - 0); break; //~ overflow
    //# 6.5 | A product has a result that its type does not hold
    case 13: use((bad ? INT_MAX : 1) * 2); break; //~ overflow
    //# 6.5 | A difference or a negation has a result that its type does not hold
    case 14: use(-(bad ? INT_MIN : 1)); break; //~ overflow
    //# 6.5 | The value of an object is read through a type that is not its own | not: such reads have the meaning of -fno-strict-aliasing, which the pipeline keeps by taking the types of accesses away
    case 15: {
        int x = 1;
        short *p = (short *)&x;
        use(bad ? *p : 0);
        break;
    }
    //# 6.5.2.2 | A call without a prototype has another number of arguments than the function has parameters
    case 16: {
        int (*volatile f)() = (int (*)())two;
        use(bad ? f(1) : f(1, 2)); //~ function_type
        break;
    }
    //# 6.5.2.2 | A call without a prototype calls a function whose prototype ends with dots
    case 17: {
        int (*volatile f)() = (int (*)())variadic;
        use(bad ? f(1, 2) : 0); //~ function_type
        break;
    }
    //# 6.5.2.2 | A call without a prototype has arguments of other types than the parameters
    case 18: {
        double (*volatile f)() = (double (*)())as_double;
        use((int)(bad ? f(1) : f(1.0))); //~ function_type
        break;
    }
    //# 6.5.2.2 | A function is defined with a type that is incompatible with that of the expression called
    case 19: {
        int (*volatile f)(double) = (int (*)(double))two;
        if (bad) use(f(1.0)); //~ function_type
        break;
    }
    //# 6.5.3.2 | The operand of unary * is an invalid pointer
    case 20: {
        int *volatile wild = (int *)0x7654321000;
        if (bad) use(*wild); //~ out_of_bounds
        break;
    }
    //# 6.5.5 | The right operand of / is zero
    case 21: use(1 / !bad); break; //~ div_zero
    //# 6.5.5 | The right operand of % is zero
    case 22: use(1 % !bad); break; //~ div_zero
    //# 6.5.5 | The quotient does not fit its type
    case 23: use(INT_MIN / (bad ? -1 : 1)); break; //~ overflow
    //# 6.5.6 | A pointer is moved out of its array, and not used | not: addresses are numbers on x86-64, and real programs do it; the access is found
    case 24: {
        int *volatile p = global;
        p = p + (bad ? 9 : 1);
        break;
    }
    //# 6.5.6 | The pointer behind the last element is read through
    case 25: use(*(global + (bad ? 4 : 0))); break; //~ out_of_bounds
    //# 6.5.6 | Pointers into different arrays are subtracted | not: addresses are numbers on x86-64
    case 26: {
        int *volatile p = global;
        int *volatile q = bad ? other : global;
        sink = p - q != 0;
        break;
    }
    //# 6.5.6 | An index is out of the range of its own array, but inside of a larger one
    case 27: {
        static int matrix[4][5];
        use(matrix[1][bad ? 7 : 4]); //~ out_of_bounds
        break;
    }
    //# 6.5.6 | The difference of two pointers does not fit ptrdiff_t | not: no object can be that large
    //# 6.5.7 | A shift by a negative number
    case 28: use(1 << (bad ? -1 : 1)); break; //~ shift
    //# 6.5.7 | A shift by the width of its type or more
    case 29: use(1 << (bad ? 32 : 1)); break; //~ shift
    //# 6.5.7 | A signed number is shifted to the left that is negative or too large | not: every compiler for x86-64 shifts the bits, and C23 defines it so
    case 30: use((bad ? -1 : 1) << 1); break;
    //# 6.5.8 | Pointers into different objects are ordered | not: addresses are numbers on x86-64
    case 31: {
        int *volatile p = global;
        int *volatile q = bad ? other : global;
        sink = (p < q) * 0;
        break;
    }
    //# 6.5.16.1 | An object is assigned to one that overlaps it in part
    case 32: {
        struct big {
            long words[4];
        };
        static long room[8];
        struct big *volatile from = (struct big *)room;
        struct big *volatile to = (struct big *)(room + (bad ? 1 : 4));
        *to = *from; //~ overlap
        break;
    }
    //# 6.7.2.1 | A flexible array member is accessed of an object that has no element of it
    case 33: {
        struct flexible *p = calloc(1, sizeof *p + !bad);
        if (p) use(p->bytes[0]); //~ out_of_bounds
        free(p);
        break;
    }
    //# 6.7.3 | A static object is written to that is defined with const
    case 34: {
        static const int constant = 1;
        int *volatile p = bad ? (int *)&constant : global;
        *p = 2; //~ readonly
        break;
    }
    //# 6.7.3 | An automatic object is written to that is defined with const | not: it lies on the stack like any other, also natively
    case 35: {
        const int constant = 1;
        int *volatile p = bad ? (int *)&constant : global;
        *p = 2;
        break;
    }
    //# 6.7.3 | A volatile object is accessed through an lvalue that is not volatile | not: accesses are neither added nor dropped, so nothing differs
    case 36: {
        volatile int v = 1;
        use(bad ? *(int *)&v : 0);
        break;
    }
    //# 6.7.3.1 | What a restrict pointer points to is changed through another pointer | not: there is no check of restrict; passes are not told of it, so the program means what it says
    case 37: doubled(global, bad ? global : other); break;
    //# 6.7.3.1 | A restrict pointer is assigned another one of the same block | not: the same
    //# 6.7.4 | A _Noreturn function returns
    case 38: comes_back(bad); break; //~ unreachable
    //# 6.7.6.2 | A variable array has a size of zero | not: clang gives it no byte; an access is found
    case 39: {
        int n = !bad;
        char array[n];
        char *volatile p = array;
        sink = p != NULL;
        break;
    }
    //# 6.7.6.2 | A variable array has a negative size
    case 40: {
        int n = bad ? -1 : 1;
        char array[n]; //~ stack_overflow
        array[0] = 1;
        use(array[0]);
        break;
    }
    //# 6.7.6.3 | An argument for a parameter with static points to fewer elements (found when the function reads them) | found: in wants_static
    case 41: use(wants_static(bad ? global + 1 : global)); break;
    //# 6.7.9 | The value of an unnamed member (padding) is used | not: a copy of a structure may leave padding with any value; a read of it as bytes is found
    case 42: {
        struct pair p;
        p.c = 1;
        p.i = 2;
        struct pair q = p;
        use(bad ? q.i : q.c);
        break;
    }
    //# 6.7.9 | Padding that nothing has written is read as bytes
    case 43: {
        struct pair p;
        p.c = 1;
        p.i = 2;
        unsigned char *volatile bytes = (unsigned char *)&p;
        use(bytes[bad ? 1 : 0]); //~ uninitialized
        break;
    }
    //# 6.9.1 | A function ends without a value, and the caller uses one
    case 44: {
        nothing(bad);
        if (nothing(bad)) use(1); //~ uninitialized
        break;
    }
    //# 6.4.5 | A string literal is written to
    case 45: {
        char copy[] = "abc";
        char *volatile p = bad ? (char *)"abc" : copy;
        p[0] = 'x'; //~ readonly
        break;
    }
    //# 6.5.2.5 | A compound literal is used after its block | not: clang marks the end of a variable's block only; AddressSanitizer does not find it either
    case 46: {
        int *volatile p = global;
        if (bad) {
            p = (int[]){1, 2};
        }
        use(*p);
        break;
    }
    //# 6.5.2.2 | A recursion without an end | found: in deeper
    case 47: {
        void deeper(volatile int *);
        volatile int n = bad;
        deeper(&n);
        break;
    }
    //# 6.5.2.3 | A member of a union is read that is larger than what was written
    case 48: {
        union {
            char c;
            int i;
        } u;
        int *volatile p = &u.i;
        u.c = 1;
        if (!bad) u.i = 1;
        use(*p); //~ uninitialized
        break;
    }
    //# 6.3.2.1, 6.5.3.2 | The address of an element is read before the first one
    case 49: use(global[bad ? -1 : 0]); break; //~ out_of_bounds
    }
    return 0;
}

void deeper(volatile int *n) {
    volatile char room[64]; //~ stack_overflow
    room[0] = (char)*n;
    if (*n) deeper(n);
    room[1] = 1;
}
