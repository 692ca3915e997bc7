# void __polypath_misuse(int is_pedantic, const char *what): the engine reports it, a native run goes on
.text
.global __polypath_misuse
.type __polypath_misuse,@function
__polypath_misuse:
	ret
.size __polypath_misuse,.-__polypath_misuse
.section .note.GNU-stack,"",@progbits
