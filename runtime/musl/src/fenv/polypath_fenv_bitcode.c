/* The bitcode half of fenv: its machine half is musl's own assembly. Only the default environment
 * is modelled: round to nearest, no status flags. What cannot be answered truthfully is handed to
 * __polypath_unsupported, which ends the path under the given name. */
#include <fenv.h>

_Noreturn void __polypath_unsupported(const char *what);

int feclearexcept(int mask) { return 0; }
int feraiseexcept(int mask) { return 0; }

int fetestexcept(int mask)
{
	if (mask) __polypath_unsupported("fetestexcept: floating-point status flags are not modelled");
	return 0;
}

int fegetround(void) { return FE_TONEAREST; }

__attribute__((visibility("hidden"))) int __fesetround(int r)
{
	if (r != FE_TONEAREST) __polypath_unsupported("fesetround: only rounding to nearest is modelled");
	return 0;
}

int fegetenv(fenv_t *env)
{
	*env = (fenv_t){.__control_word = 0x37f, .__mxcsr = 0x1f80};
	return 0;
}

int fesetenv(const fenv_t *env) { return 0; }
