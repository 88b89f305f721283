/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "waiter.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The process that serves. */
static pid_t present;
static int lifeline;
/* The beginning of a line that has not come whole. */
static char line[16];
static size_t length;

/* Takes the numbers of processes that serve from now on. The last one counts. */
static void read_announcements(void) {
    char byte;
    while (read(lifeline, &byte, 1) == 1) {
        if (byte == '\n') {
            line[length] = 0;
            int number = atoi(line);
            if (number > 1) present = number;
            length = 0;
        } else if (length < sizeof line - 1) {
            line[length++] = byte;
        }
    }
}

/* Ends as the host has ended. */
static _Noreturn void end(int status) {
    if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
    /* The host has left a core already, if it was to. */
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    int number = WTERMSIG(status);
    signal(number, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    _exit(128 + number);
}

/* Takes the ends of all children: hosts, and orphans of theirs, which are given to this process. */
static void reap(void) {
    int status;
    pid_t child;
    while ((child = waitpid(-1, &status, WNOHANG | WUNTRACED)) != 0) {
        if (child < 0 && errno == EINTR) continue;
        /* Nobody is left, and nobody can tell how the host ended. */
        if (child < 0) _exit(70);
        read_announcements();
        if (child != present) continue;
        if (!WIFSTOPPED(status)) end(status);
        /* Whoever waits for this process has to see that the host has stopped. By SIGCONT, both go on. */
        if (WSTOPSIG(status) != SIGSTOP) raise(SIGSTOP);
    }
}

_Noreturn void eaves_wait(pid_t host, int descriptor) {
    present = host;
    lifeline = dup2(descriptor, 3);
    syscall(436 /* close_range */, 4, ~0u, 0);
    fcntl(lifeline, F_SETFL, O_NONBLOCK);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    /* All of them stay blocked, and are taken one by one. Faults of this process, and signals that stop it for
     * reading or writing at a terminal, which it never does, keep their meaning. */
    sigset_t set;
    sigfillset(&set);
    const int own[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGTTIN, SIGTTOU};
    for (size_t index = 0; index < sizeof own / sizeof *own; ++index) sigdelset(&set, own[index]);
    sigprocmask(SIG_SETMASK, &set, NULL);
    /* A child that ended before has left no signal if SIGCHLD was ignored. */
    signal(SIGCHLD, SIG_DFL);
    reap();
    while (true) {
        siginfo_t signal;
        if (sigwaitinfo(&set, &signal) < 0) continue;
        switch (signal.si_signo) {
        case SIGCHLD: reap(); break;
        case SIGPIPE: break;
        /* A host has announced its successor. */
        case SIGURG: read_announcements(); break;
        default:
            /* If it stops the host, this process stops, too, when it hears of that: not before, because the host may
             * take the signal in its own way. */
            read_announcements();
            eaves_pass_on(&signal, present);
        }
    }
}
