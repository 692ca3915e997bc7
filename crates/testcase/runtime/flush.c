/* Preloaded into a program built with --coverage: a run that ends by a signal (a crash, or SIGTERM at
 * the time limit) saves its counts like one that ends by exit. The exit handlers save them; if they
 * hang or crash themselves, the alarm or the default action ends the process. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static char stack[1 << 16];

static void leave(int number)
{
	signal(SIGALRM, SIG_DFL);
	alarm(1);
	exit(128 + number);
}

__attribute__((constructor)) static void install(void)
{
	static const int ending[] = { SIGTERM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGXFSZ };
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof stack };
	sigaltstack(&alternate, NULL);
	for (unsigned i = 0; i < sizeof ending / sizeof *ending; i++) {
		struct sigaction action = { .sa_handler = leave, .sa_flags = SA_RESETHAND | SA_NODEFER | SA_ONSTACK };
		sigaction(ending[i], &action, NULL);
	}
}
