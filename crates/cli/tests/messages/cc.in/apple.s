.section .llvmbc,"",@progbits
.long 0x0B17C0DE, 0, 20, 0, 7
