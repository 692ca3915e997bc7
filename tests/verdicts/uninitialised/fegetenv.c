// run: --check memory,uninit
/* The environment is written, and not read. */
#include <fenv.h>
int main(void) {
    fenv_t e;
    fegetenv(&e);
    return fesetenv(&e);
}
