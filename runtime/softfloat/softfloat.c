/* IEEE 754 arithmetic over integers, for floating point by integer simulation (polypath run --fp-solver isc):
 * an operation on symbolic floats is executed as the code below, so that its conditions are about
 * bit-vectors. The branches of its special cases become part of the exploration, too.
 *
 * Each operation is one function without calls, __polypath_soft_OPERATION_FORMAT, that the engine
 * enters in place of an instruction. Rounding is to nearest even, the only mode that programs
 * see here; exception flags are discarded. The code branches only on the class of a number (NaN and infinity,
 * zero, overflow, underflow); alignment, normalization and rounding are straight-line code.
 */
#define FORMAT 32
#include "format.h"
#include "format_operations.h"
#define PARAMETER(x) u32 x
#define ARGUMENT(x) x
#include "entries.h"
#undef FORMAT

#define FORMAT 64
#include "format.h"
#include "format_operations.h"
#undef PARAMETER
#undef ARGUMENT
#define PARAMETER(x) u64 x
#define ARGUMENT(x) x
#include "entries.h"
#undef FORMAT

#define FORMAT 80
#include "format.h"
#include "format_operations.h"
#undef PARAMETER
#undef ARGUMENT
#define PARAMETER(x) u64 x##_significand, u16 x##_sign_exponent
#define ARGUMENT(x) (struct extended){x##_significand, x##_sign_exponent}
#include "entries.h"

#include "cast_entries.h"
