/* Cancellation points. musl's assembly brackets the syscall instruction so that a cancel that
 * arrives while the thread is blocked inside it can be acted on; here the instruction is behind the
 * hook, so a cancel is acted on before the call and after it, not in the middle of a blocked one. */
#include "pthread_impl.h"
#include "syscall.h"

hidden long __cancel(void);
hidden const char __cp_begin[1], __cp_end[1], __cp_cancel[1];

hidden long __syscall_cp_asm(volatile void *cancel, syscall_arg_t n, syscall_arg_t a, syscall_arg_t b,
	syscall_arg_t c, syscall_arg_t d, syscall_arg_t e, syscall_arg_t f)
{
	if (*(volatile int *)cancel) return __cancel();
	return __polypath_syscall6(n, a, b, c, d, e, f);
}
