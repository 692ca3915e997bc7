// An environment that was kept is put back, whatever it is.
#include <assert.h>
#include <fenv.h>
#include <klee/klee.h>

int main(void) {
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    unsigned char x, flags;
    klee_make_symbolic(&x, 1, "x");
    klee_make_symbolic(&flags, 1, "flags");
    int mode = modes[x & 3];
    assert(fesetround(mode) == 0);
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(flags & FE_ALL_EXCEPT);
    fenv_t e, copy;
    assert(feholdexcept(&e) == 0 && fetestexcept(FE_ALL_EXCEPT) == 0);
    copy = e;
    fesetround(FE_TONEAREST);
    feraiseexcept(FE_INEXACT);
    assert(feupdateenv(&copy) == 0 && fegetround() == mode);
    assert(fetestexcept(FE_ALL_EXCEPT) == (flags & FE_ALL_EXCEPT | FE_INEXACT));
    assert(fesetround(0x123) != 0 && fegetround() == mode);
    fesetenv(FE_DFL_ENV);
    assert(fegetround() == FE_TONEAREST && fetestexcept(FE_ALL_EXCEPT) == 0);
    return 0;
}
