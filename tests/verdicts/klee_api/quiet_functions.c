#include <errno.h>
#include <klee/klee.h>
#include <unistd.h>

int main(void) {
    int x = klee_int("x");
    klee_prefer_cex(&x, x == 3);
    klee_posix_prefer_cex(&x, x == 3);
    klee_mark_global(&x);
    klee_set_forking(1);
    klee_open_merge();
    klee_print_expr("x", x);
    klee_warning("here");
    klee_warning_once("here");
    klee_stack_trace();
    klee_check_memory_access(&x, sizeof x);
    klee_close_merge();
    if (klee_is_replay() || !klee_is_symbolic(x) || klee_get_obj_size(&x) != 4) return 1;
    if (klee_get_value_i32(5) != 5 || klee_get_value_i64(3) != 3) return 2;
    if (klee_get_valuel(3) != 3 || klee_get_valuell(3) != 3 || klee_get_valued(2.5) != 2.5) return 3;
    close(77);
    return klee_get_errno() != EBADF;
}
