/* Functions whose arguments glibc lays out differently. The tool chain renames the calls of sources that were
 * preprocessed against glibc's headers (toolchain::preprocessed). */
#define _GNU_SOURCE
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* glibc's regex_t and regmatch_t. */
struct glibc_regex {
    regex_t *musl;
    unsigned long allocated, used, syntax;
    char *fastmap;
    unsigned char *translate;
    size_t re_nsub;
    unsigned flags;
};
struct glibc_match {
    int start, end;
};

int __polypath_glibc_regcomp(struct glibc_regex *regex, const char *pattern, int flags)
{
    regex->musl = malloc(sizeof *regex->musl);
    if (!regex->musl) return REG_ESPACE;
    int error = regcomp(regex->musl, pattern, flags);
    if (error) {
        free(regex->musl);
        regex->musl = 0;
    } else {
        regex->re_nsub = regex->musl->re_nsub;
    }
    return error;
}

/* REG_STARTEND: the text is what the first match says. Offsets count from the beginning. */
enum { STARTEND = 1 << 2 };

int __polypath_glibc_regexec(const struct glibc_regex *, const char *, size_t, struct glibc_match *, int);

static int match_part(const struct glibc_regex *regex, const char *text, size_t n, struct glibc_match *matches, int flags)
{
    int start = matches[0].start, length = matches[0].end - start;
    char *part = malloc((size_t)length + 1);
    if (!part) return REG_ESPACE;
    memcpy(part, text + start, length);
    part[length] = 0;
    int error = __polypath_glibc_regexec(regex, part, n, matches, flags);
    free(part);
    for (size_t i = 0; !error && i < n; i++)
        if (matches[i].start >= 0) matches[i].start += start, matches[i].end += start;
    return error;
}

int __polypath_glibc_regexec(const struct glibc_regex *regex, const char *text, size_t n, struct glibc_match *matches,
                             int flags)
{
    if (!regex->musl) return REG_NOMATCH;
    if (flags & STARTEND) return match_part(regex, text, n, matches, flags & ~STARTEND);
    if (n > INT_MAX) n = INT_MAX;
    regmatch_t *found = n ? malloc(n * sizeof *found) : 0;
    if (n && !found) return REG_ESPACE;
    int error = regexec(regex->musl, text, n, found, flags);
    if (!error && matches)
        for (size_t i = 0; i < n; i++) matches[i] = (struct glibc_match){found[i].rm_so, found[i].rm_eo};
    free(found);
    return error;
}

size_t __polypath_glibc_regerror(int error, const struct glibc_regex *regex, char *to, size_t n)
{
    return regerror(error, regex ? regex->musl : 0, to, n);
}

void __polypath_glibc_regfree(struct glibc_regex *regex)
{
    if (regex->musl) regfree(regex->musl);
    free(regex->musl);
    regex->musl = 0;
}

/* glibc counts the types of files that ftw and nftw give from 0. */
static int (*ftw_visitor)(const char *, const struct stat *, int);
static int (*nftw_visitor)(const char *, const struct stat *, int, struct FTW *);

static int ftw_visit(const char *path, const struct stat *st, int type) { return ftw_visitor(path, st, type - 1); }

static int nftw_visit(const char *path, const struct stat *st, int type, struct FTW *level)
{
    return nftw_visitor(path, st, type - 1, level);
}

int __polypath_glibc_ftw(const char *path, int (*visitor)(const char *, const struct stat *, int), int most)
{
    int (*outer)(const char *, const struct stat *, int) = ftw_visitor;
    ftw_visitor = visitor;
    int result = ftw(path, ftw_visit, most);
    ftw_visitor = outer;
    return result;
}

int __polypath_glibc_nftw(const char *path, int (*visitor)(const char *, const struct stat *, int, struct FTW *),
                          int most, int flags)
{
    int (*outer)(const char *, const struct stat *, int, struct FTW *) = nftw_visitor;
    nftw_visitor = visitor;
    int result = nftw(path, nftw_visit, most, flags);
    nftw_visitor = outer;
    return result;
}
