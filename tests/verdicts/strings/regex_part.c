// glibc's regexec of a part of a text (REG_STARTEND), which sources that were preprocessed against its headers call so.
#include <assert.h>
#include <klee/klee.h>
#include <stddef.h>

struct regex {
    void *musl;
    unsigned long allocated, used, syntax;
    char *fastmap;
    unsigned char *translate;
    size_t re_nsub;
    unsigned flags;
};
struct match {
    int start, end;
};
int __polypath_glibc_regcomp(struct regex *, const char *, int);
int __polypath_glibc_regexec(const struct regex *, const char *, size_t, struct match *, int);
void __polypath_glibc_regfree(struct regex *);

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    if (x > 6) return 0;
    struct regex r;
    assert(__polypath_glibc_regcomp(&r, "ab*", 1) == 0);
    struct match m[2] = {{x, 6}};
    int error = __polypath_glibc_regexec(&r, "abbcab_abbb", 2, m, 4);
    if (x == 0) assert(error == 0 && m[0].start == 0 && m[0].end == 3 && m[1].start == -1);
    else if (x <= 4) assert(error == 0 && m[0].start == 4 && m[0].end == 6);
    else assert(error != 0);
    m[0] = (struct match){7, 9};
    assert(__polypath_glibc_regexec(&r, "abbcab_abbb", 1, m, 4) == 0 && m[0].start == 7 && m[0].end == 9);
    __polypath_glibc_regfree(&r);
    return 0;
}
