/* Memory has to be freed by the family of functions that allocated it. */
// message: by operator new[] is freed by operator delete
// message: by malloc is freed by operator delete
// message: is freed by operator delete for an object of 4 bytes
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
struct alignas(64) Wide { int v[16]; };
struct Base { int a; };
struct Derived : Base { int b; };
struct Rooted { virtual ~Rooted() {} };
struct Branch : Rooted { int b; };
int main() {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    void *const text = strdup("text");
    switch (n) {
    case 0: delete (int *)malloc(4); break; //~ mismatched_free
    case 1: free(new int); break; //~ mismatched_free
    case 2: { int *volatile p = new int[2]; delete p; break; } //~ mismatched_free
    case 3: { int *volatile p = new int; delete[] p; break; } //~ mismatched_free
    case 4: delete (char *)text; break; //~ mismatched_free
    case 5: free(realloc(new int, 8)); break; //~ mismatched_free
    case 6: delete (int *)(void *)new Wide; break; //~ mismatched_free
    case 7: delete static_cast<Base *>(new Derived); break; //~ mismatched_free
    case 8: { char *volatile p = new char[1 + n]; delete p; break; } //~ mismatched_free
    case 10: free(text); break;
    case 11: delete new Wide; break;
    case 12: delete[] new Wide[2]; break;
    case 13: delete static_cast<Rooted *>(new Branch); break;
    case 14: ::operator delete(::operator new(n)); break;
    case 15: delete[] new Branch[n % 4]; break;
    }
    return 0;
}
