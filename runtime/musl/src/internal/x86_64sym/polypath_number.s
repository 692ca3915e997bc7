# int __polypath_numbers(const void *bytes, size_t n): there are no operations natively, so nobody asks for one
.text
.global __polypath_numbers
.global __polypath_decimal
.global __polypath_power
.global __polypath_digits
.type __polypath_numbers,@function
.type __polypath_decimal,@function
.type __polypath_power,@function
.type __polypath_digits,@function
__polypath_numbers:
__polypath_decimal:
__polypath_power:
__polypath_digits:
	xor %eax, %eax
	ret
.size __polypath_numbers,.-__polypath_numbers
.section .note.GNU-stack,"",@progbits
