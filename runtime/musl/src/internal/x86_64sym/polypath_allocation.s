# void __polypath_new(void *p, int is_array, size_t alignment) and
# void __polypath_delete(void *p, int is_array, size_t size, size_t alignment) say which operator of C++ allocated an
# object, and which frees it: the engine compares them, a native run goes on
.text
.global __polypath_new
.global __polypath_delete
.type __polypath_new,@function
.type __polypath_delete,@function
__polypath_new:
__polypath_delete:
	ret
.size __polypath_delete,.-__polypath_delete
.section .note.GNU-stack,"",@progbits
