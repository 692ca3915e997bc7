.section .llvmbc,"",@progbits
.ascii "this is no bitcode"
