/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How a process learns that it is a host, and how the first one is made.
 */
#define _GNU_SOURCE
#include "hot_restart.h"

#include "crash_report.h"
#include "local_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static int waiter_socket = -1;
static int predecessor_socket = -1;
static char **own_arguments;

int eaves_waiter_socket(void) { return waiter_socket; }

int eaves_predecessor_socket(void) { return predecessor_socket; }

const char *eaves_start_path(void) { return (const char *)getauxval(AT_EXECFN); }

/* The descriptor, as this process may use it; -1 if it is not a socket. */
static int own_socket(int descriptor) {
    struct stat status;
    if (descriptor <= 2 || fstat(descriptor, &status) < 0 || !S_ISSOCK(status.st_mode)) return -1;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
}

/* The waiter has one thread, so that its end is that of the process, and no earlier. */
static void end_with(pid_t waiter) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != waiter) _exit(128 + SIGTERM);
}

void eaves_host_crashes(void) {
    const eaves_word word = {.kind = eaves_word_crashes};
    if (waiter_socket >= 0) eaves_socket_send(waiter_socket, &word, sizeof word, NULL, 0);
}

/* Runs before main, and before any other code of the program. */
__attribute__((constructor)) static void begin(int count, char **arguments) {
    (void)count;
    own_arguments = arguments;
    const char *host = secure_getenv(EAVES_HOST_VARIABLE);
    if (host) {
        int waiter = 0, to_waiter = -1, to_predecessor = -1;
        if (sscanf(host, "1:%d:%d:%d", &waiter, &to_waiter, &to_predecessor) == 3) {
            waiter_socket = own_socket(to_waiter);
            predecessor_socket = own_socket(to_predecessor);
            if (waiter_socket >= 0) end_with(waiter);
        }
        unsetenv(EAVES_HOST_VARIABLE);
    }
}

/* Whether another process looks at each system call of this one. */
static bool is_traced(void) {
    char text[4096];
    int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    text[count < 0 ? 0 : count] = 0;
    const char *line = strstr(text, "\nTracerPid:");
    return line && atoi(line + 11) != 0;
}

/* The folder of the threads has two links more than there are threads. */
static bool has_further_threads(void) {
    struct stat status;
    return stat("/proc/self/task", &status) == 0 && status.st_nlink > 3;
}

/* A variable that names the waiter as the process that is meant names the host from now on. */
static void rename_in(const char *variable, pid_t waiter) {
    const char *value = getenv(variable);
    if (!value || atoi(value) != waiter) return;
    char own[16];
    snprintf(own, sizeof own, "%d", (int)getpid());
    setenv(variable, own, 1);
}

int eaves_go_on_in_child(void) {
    if (waiter_socket >= 0 || is_traced()) return 0;
    if (has_further_threads()) {
        errno = EBUSY;
        return -1;
    }
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return -1;
    /* What comes from here on waits until the waiter passes it on. */
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t waiter = getpid();
    pid_t host = fork();
    if (host > 0) {
        close(ends[1]);
        eaves_wait(host, ends[0], own_arguments, &before);
    }
    int reason = errno;
    close(ends[0]);
    if (host == 0) {
        waiter_socket = ends[1];
        end_with(waiter);
        rename_in("LISTEN_PID", waiter);
        rename_in("WATCHDOG_PID", waiter);
    } else {
        close(ends[1]);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return host == 0 ? 0 : -1;
}
