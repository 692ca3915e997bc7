// halted: fork
#include <stdlib.h>
#include <unistd.h>

struct job { int id; pid_t pid; };

static int start(struct job *job) {
    job->pid = fork();
    return job->pid != -1;
}

int main(void) {
    struct job *job = malloc(sizeof *job);
    if (!job)
        return 1;
    int *none = 0;
    if (!start(job))
        return *none; //~ null
    free(job);
    return 0;
}
