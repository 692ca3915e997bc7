# Included by musl's Makefile. EMBED makes the compiler put the IR, as it was before any
# optimisation, into section .llvmbc of each object.
EMBED = -Xclang -fembed-bitcode=bitcode

# Operations of the engine: machine code only, so that they stay external in the bitcode.
NO_BITCODE = $(filter-out obj/src/malloc/reallocarray.o, $(filter obj/src/malloc/%, $(LIBC_OBJS))) \
	obj/src/string/memcmp.o obj/src/string/bcmp.o obj/src/string/memchr.o obj/src/string/strlen.o
$(NO_BITCODE): EMBED =

CFLAGS_ALL += $(EMBED)

$(filter obj/src/math/%, $(LIBC_OBJS)): CFLAGS_ALL += -include $(srcdir)/src/internal/polypath_math.h
