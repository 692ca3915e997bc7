# What eh.cpp asks of the engine. A native binary that has its bitcode as code does not come there: the unwinder is libunwind.
.text
.global __polypath_unwind_next
.global __polypath_unwind_word
.global __polypath_unwind_land
.global __polypath_uncaught
.global __polypath_unexpected_handler_that_throws
__polypath_unwind_next:
__polypath_unwind_word:
__polypath_unwind_land:
__polypath_uncaught:
__polypath_unexpected_handler_that_throws:
	ud2
.section .note.GNU-stack,"",@progbits
