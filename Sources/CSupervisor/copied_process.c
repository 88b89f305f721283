/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "copied_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

pid_t copy_process(unsigned long flags) {
    return (pid_t)syscall(SYS_clone, SIGCHLD | flags, 0, 0, 0, 0);
}

pid_t copy_process_blocked(unsigned long flags) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pid_t copied = copy_process(flags);
    if (copied == 0) return 0;
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return copied;
}

void reset_handlers(void) {
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction plain = {.sa_handler = SIG_DFL};
        sigaction(number, &plain, NULL);
    }
}

void reset_signals(void) {
    sigset_t none;
    sigemptyset(&none);
    reset_handlers();
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void close_descriptors_from(int first) {
    if (syscall(436 /* close_range */, first, ~0u, 0) == 0) return;
    /* Linux has it since 5.9. */
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 1 << 16) limit.rlim_cur = 1 << 16;
    for (int descriptor = first; descriptor < (int)limit.rlim_cur; ++descriptor) close(descriptor);
}

void keep_descriptors(const int *wanted, int count) {
    int safe[most_kept];
    for (int index = 0; index < count; ++index) safe[index] = fcntl(wanted[index], F_DUPFD, 64);
    for (int index = 0; index < count; ++index) dup2(safe[index], index);
    close_descriptors_from(count);
}
