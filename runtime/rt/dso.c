/* Names the program, as one of several that a process could have loaded, where destructors are registered. */
__attribute__((visibility("hidden"))) void *__dso_handle;
