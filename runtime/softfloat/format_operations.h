/* Everything there is for one format. */
#include "unpack.h"
#include "nan.h"
#include "round.h"
#include "add.h"
#include "multiply.h"
#include "divide.h"
#include "square_root.h"
#if FORMAT != 80
#include "fused.h"
#endif
#include "remainder.h"
#include "compare.h"
#include "integral.h"
#include "integers.h"
#include "exchange.h"
