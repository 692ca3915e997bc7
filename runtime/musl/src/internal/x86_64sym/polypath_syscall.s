# long __polypath_syscall6(long n, long a, long b, long c, long d, long e, long f)
.text
.global __polypath_syscall6
.type __polypath_syscall6,@function
__polypath_syscall6:
	mov %rdi,%rax
	mov %rsi,%rdi
	mov %rdx,%rsi
	mov %rcx,%rdx
	mov %r8,%r10
	mov %r9,%r8
	mov 8(%rsp),%r9
	syscall
	ret
.size __polypath_syscall6,.-__polypath_syscall6
.section .note.GNU-stack,"",@progbits
