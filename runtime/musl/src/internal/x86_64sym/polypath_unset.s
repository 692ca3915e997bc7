# void __polypath_unset(const char *name): getenv did not find the variable; a native run goes on
.text
.global __polypath_unset
.type __polypath_unset,@function
__polypath_unset:
	ret
.size __polypath_unset,.-__polypath_unset
.section .note.GNU-stack,"",@progbits
