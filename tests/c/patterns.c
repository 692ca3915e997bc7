/* Regular expressions and glob patterns of the libc. */
#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>

static void match(const char *pattern, const char *text, int flags) {
    regex_t re;
    regmatch_t m[3];
    int r = regcomp(&re, pattern, flags);
    if (r) { printf("%s: error\n", pattern); return; }
    r = regexec(&re, text, 3, m, 0);
    if (r) printf("%s: no\n", pattern);
    else printf("%s: %d-%d %d-%d\n", pattern, (int)m[0].rm_so, (int)m[0].rm_eo, (int)m[1].rm_so, (int)m[1].rm_eo);
    regfree(&re);
}

int main(void) {
    match("a*b", "xaaab", REG_EXTENDED);
    match("(ab|cd)+e", "zzabcdabe", REG_EXTENDED);
    match("^[0-9]{2,3}(x)?$", "123x", REG_EXTENDED);
    match("[[:alpha:]_][[:alnum:]_]*", "  9 name_1 ", REG_EXTENDED);
    match("\\(.\\)\\1", "abccd", 0);
    match("HELLO", "say hello", REG_ICASE);
    match("(", "x", REG_EXTENDED);
    match("nothing", "here", 0);
    printf("%d %d %d %d\n", fnmatch("*.c", "file.c", 0), fnmatch("*.c", "file.h", 0) != 0, fnmatch("f?l[a-f]*", "file.c", 0), fnmatch("*", ".hid", FNM_PERIOD) != 0);
    return 0;
}
