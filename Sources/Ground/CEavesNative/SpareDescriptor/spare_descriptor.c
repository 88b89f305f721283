/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "spare_descriptor.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct copying {
    struct rlimit limit;
    int descriptor, copy;
};

/* Runs in a process of its own, with the memory and the descriptors of the caller, which waits for its end. */
static int copy(void *argument) {
    struct copying *copying = argument;
    struct rlimit raised = {copying->limit.rlim_max, copying->limit.rlim_max};
    if (syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &raised, NULL) == 0) {
        copying->copy =
            (int)syscall(SYS_fcntl, copying->descriptor, F_DUPFD_CLOEXEC, copying->limit.rlim_cur);
    }
    return 0;
}

int eaves_spare_descriptor(int descriptor) {
    struct copying copying = {.descriptor = descriptor, .copy = -1};
    struct rlimit *limit = &copying.limit;
    if (getrlimit(RLIMIT_NOFILE, limit) != 0 || limit->rlim_cur >= limit->rlim_max) return -1;
    rlim_t number = (rlim_t)descriptor;
    if (number < limit->rlim_cur / 2 || number >= limit->rlim_cur) return -1;
    _Alignas(16) char stack[16 << 10];
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    /* It sends no signal when it ends, and no usual wait finds it. */
    pid_t child = clone(copy, stack + sizeof stack, CLONE_VM | CLONE_FILES | CLONE_VFORK, &copying);
    if (child > 0) waitpid(child, NULL, __WCLONE);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return copying.copy;
}
