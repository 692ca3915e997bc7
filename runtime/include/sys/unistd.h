/* glibc has it under this name as well. */
#include <unistd.h>
