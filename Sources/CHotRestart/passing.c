/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A process that has handed over, and has not left yet, passes signals on: whoever sends them knows no other process.
 */
#define _GNU_SOURCE
#include "hot_restart.h"
#include "waiter.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile pid_t present;

static void pass_on(int number, siginfo_t *signal, void *context) {
    (void)number;
    (void)context;
    int reason = errno;
    eaves_pass_on(signal, present);
    errno = reason;
}

void eaves_pass_on(const siginfo_t *signal, pid_t host) {
    /* A timer of this process, or something else that is its own. */
    if (signal->si_code == SI_TIMER || (signal->si_code > 0 && signal->si_code != SI_KERNEL)) return;
    /* The terminal has sent it to all processes of the group itself. */
    if (signal->si_code == SI_KERNEL && getpgid(host) == getpgrp()) return;
    kill(host, signal->si_signo);
}

void eaves_pass_signals_on(pid_t host) {
    present = host;
    /* Those that tell this process of itself, and those that nobody can catch. */
    static const int own[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS,  SIGILL, SIGFPE,  SIGABRT,   SIGTRAP, SIGSYS, SIGCHLD,
                              SIGPIPE, SIGURG,  SIGTTIN, SIGTTOU, SIGALRM, SIGPROF, SIGVTALRM, SIGIO};
    /* The last number is the one by which threads are asked to rest. */
    for (int number = 1; number < SIGRTMAX; ++number) {
        bool is_own = false;
        for (size_t index = 0; index < sizeof own / sizeof *own; ++index) is_own |= own[index] == number;
        struct sigaction action;
        if (is_own || sigaction(number, NULL, &action) < 0 || action.sa_handler == SIG_IGN) continue;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = pass_on;
        action.sa_flags = SA_RESTART | SA_SIGINFO;
        sigfillset(&action.sa_mask);
        sigaction(number, &action, NULL);
    }
    eaves_pass_on_pending();
}

void eaves_pass_on_pending(void) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    eaves_quieten();
    const struct timespec now = {0, 0};
    siginfo_t signal;
    while (sigtimedwait(&all, &signal, &now) > 0) {
        if (signal.si_signo != SIGCHLD && signal.si_signo != SIGPIPE && signal.si_signo != SIGURG) {
            eaves_pass_on(&signal, present);
        }
    }
    eaves_waken();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
