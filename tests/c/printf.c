/* Formatted output of integers, strings and floats. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <wchar.h>

int main(void) {
    printf("%d|%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d\n", 42, 42, 42, 42, 42, 42, 7, -7);
    printf("%u|%o|%#o|%x|%#X|%c|%%|%s|%.2s|%10s|%-10s|\n", 3000000000u, 8, 8, 255, 255, 'c', "str", "str", "right", "left");
    printf("%hhd %hd %ld %lld %jd %zu %td\n", (signed char)-1, (short)-300, LONG_MIN, LLONG_MAX, INTMAX_MIN, (size_t)-1, (ptrdiff_t)-5);
    printf("%*d|%-*d|%.*f\n", 6, 1, 6, 2, 3, 3.14159265);
    const double v[] = {0.0, -0.0, 1.0, 0.1, 1e10, 1e-10, 123456789.123456789, 5e-324, 1.7976931348623157e308, 2.5, 3.5, 0.5, 1e22, 1e23};
    for (unsigned i = 0; i < sizeof v / sizeof *v; i++)
        printf("%f %e %g %a %.0f %.17g %#.3g %G\n", v[i], v[i], v[i], v[i], v[i], v[i], v[i], v[i]);
    printf("%f %F %e %g %5.1f|%-12g|%+g\n", INFINITY, -INFINITY, NAN, -INFINITY, INFINITY, INFINITY, 1.0);
    printf("%012.4f|%-12.4f|%+.2e|% .3g\n", 3.14159, 3.14159, 31415.9, 0.000012345);
    const long double l[] = {0.0L, 1.0L, 0.1L, 1e100L, 1e-4000L, 3.14159265358979323846L, 18446744073709551615.0L};
    for (unsigned i = 0; i < sizeof l / sizeof *l; i++) printf("%Lf|%.25Lg|%La|%.3Le\n", i == 4 ? 0.0L : l[i], l[i], l[i], l[i]);
    printf("%" PRIx64 " %" PRIu32 " %" PRId8 "\n", UINT64_MAX, UINT32_MAX, INT8_MIN);
    int at;
    printf("count%n", &at);
    printf(" %d\n", at);
    printf("%ls|%lc\n", L"wide", (wint_t)L'w');
    char out[32];
    int n = snprintf(out, sizeof out, "%s-%d-%c", "abc", 12, 'x');
    printf("%d %s\n", n, out);
    fprintf(stderr, "to stderr %d\n", 1);
    return 0;
}
