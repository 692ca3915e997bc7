# Included by musl's Makefile. EMBED makes the compiler put the IR, as it was before any
# optimisation, into section .llvmbc of each object.
EMBED = -Xclang -fembed-bitcode=bitcode

# Operations of the engine: machine code only, so that they stay external in the bitcode.
NO_BITCODE = $(filter-out obj/src/malloc/reallocarray.o, $(filter obj/src/malloc/%, $(LIBC_OBJS))) \
	obj/src/string/memcmp.o obj/src/string/bcmp.o obj/src/string/memchr.o obj/src/string/strlen.o
$(NO_BITCODE): EMBED =

CFLAGS_ALL += $(EMBED)

$(filter obj/src/math/%, $(LIBC_OBJS)): CFLAGS_ALL += -include $(srcdir)/src/internal/polypath_math.h

# Machine code from musl's assembly, bitcode from polypath_fenv_bitcode.c, in one object.
obj/src/fenv/x86_64sym/fenv.o: $(srcdir)/src/fenv/x86_64sym/fenv.s $(srcdir)/src/fenv/polypath_fenv_bitcode.c | obj/src/fenv/x86_64sym
	$(CC) $(filter-out $(EMBED),$(CFLAGS_ALL)) -emit-llvm -c -o $(@:.o=.bc) $(srcdir)/src/fenv/polypath_fenv_bitcode.c
	{ cat $<; printf '.section .llvmbc,"",@progbits\n.incbin "$(@:.o=.bc)"\n'; } | $(CC) -x assembler -Wa,--noexecstack -c -o $@ -

# Sources that exist only for their bitcode half.
LIBC_OBJS := $(filter-out obj/src/fenv/polypath_fenv_bitcode.o, $(LIBC_OBJS))
