/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The guard of a process that may start programs: whatever ends that process, and whatever ends its host, the guard ends
 * the programs. It stands outside of the wall, in the same process group, so that no process inside can end it, and so that
 * the number of the group stays taken as long as it lives. It makes system calls alone.
 */
#define _GNU_SOURCE
#include "wall.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void guard(int process) {
    prctl(PR_SET_NAME, "eaves-guard");
    if (process > 0) syscall(436 /* close_range */, 0, process - 1, 0);
    syscall(436 /* close_range */, process + 1, ~0U, 0);
    struct pollfd watched = {.fd = process, .events = POLLIN};
    while (poll(&watched, 1, -1) < 1) {}
    kill(0, SIGKILL);
    _exit(0);
}

int eaves_wall_guard(void) {
    /* Otherwise it would end the processes of another group. */
    if (getpgrp() != getpid()) {
        errno = EPERM;
        return -1;
    }
    int process = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (process < 0) return -1;
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    if (child == 0) {
        /* The guard is not a child of the process, which may wait for any child of its own. */
        pid_t made = fork();
        if (made == 0) guard(process);
        _exit(made < 0 ? errno : 0);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(process);
    if (child < 0) return -1;
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (status == 0) return 0;
    errno = WIFEXITED(status) ? WEXITSTATUS(status) : EAGAIN;
    return -1;
}
