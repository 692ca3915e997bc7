# Process entry; the C half is _start_c in crt1.o. An archive member pulled in by the linker's
# search for its entry symbol.
.text
.global _start
.type _start,@function
_start:
	xor %ebp,%ebp
	mov %rsp,%rdi
	andq $-16,%rsp
	call _start_c
	hlt
.section .note.GNU-stack,"",@progbits
