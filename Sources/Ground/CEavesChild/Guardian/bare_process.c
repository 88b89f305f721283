/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "bare_process.h"
#include "calls.h"

#include <errno.h>
#include <sched.h>

pid_t copy_process(unsigned long flags) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pid_t copied = (pid_t)syscall(SYS_clone, SIGCHLD | flags, 0, 0, 0, 0);
    if (copied == 0) return 0;
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return copied;
}

pid_t share_memory(unsigned long flags, own_memory *own, void (*function)(void *argument), void *argument) {
    /* A thread pointer points to itself, and has its thread's variables on both sides. */
    void **thread = (void **)(own->thread + sizeof own->thread / 2);
    *thread = thread;
    flags |= CLONE_VM | CLONE_SETTLS | SIGCHLD;
    return (pid_t)call_clone(flags, own->stack + sizeof own->stack, thread, function, argument);
}

void reset_handlers(void) {
    /* As the kernel has it. SIG_DFL, no flags and an empty mask are all zeros. */
    static const struct {
        uint64_t handler, flags, restorer, mask;
    } plain;
    for (int number = 1; number <= 64; ++number) {
        call(SYS_rt_sigaction, number, (long)&plain, 0, signal_set_size, 0);
    }
}

void reset_signals(void) {
    static const uint64_t none;
    reset_handlers();
    call_set_mask(&none);
}

void close_descriptors_from(int first) {
    if (call_close_range(first)) return;
    /* Linux has it since 5.9. */
    struct {
        uint64_t current, most;
    } limit;
    if (call(SYS_prlimit64, 0, 7 /* RLIMIT_NOFILE */, 0, (long)&limit, 0) != 0 || limit.most > 1 << 16) {
        limit.most = 1 << 16;
    }
    for (int descriptor = first; descriptor < (int)limit.most; ++descriptor) call_close(descriptor);
}

void keep_descriptors(const int *wanted, int count) {
    int safe[most_kept];
    for (int index = 0; index < count; ++index) safe[index] = call_copy_descriptor(wanted[index], 64);
    for (int index = 0; index < count; ++index) call_move_descriptor(safe[index], index);
    close_descriptors_from(count);
}
