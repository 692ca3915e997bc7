/* Included before every file of src/math: the status flags and rounding modes that a few of them
 * use to polish *flags* (not values) are left out, as they are not part of the modelled machine. */
#include <fenv.h>
#undef FE_INEXACT
#undef FE_UNDERFLOW
#undef FE_OVERFLOW
#undef FE_INVALID
#undef FE_DIVBYZERO
