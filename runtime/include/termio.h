/* glibc has it under this name as well. */
#include <termios.h>
#include <sys/ioctl.h>
