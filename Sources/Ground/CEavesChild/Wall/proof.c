/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The proof that a wall stands: acts that it has to refuse, and one that it has to allow.
 */
#define _GNU_SOURCE
#include "wall.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whether the file cannot be opened. */
static bool is_closed(const char *path, int flags) {
    int file = open(path, flags | O_CLOEXEC);
    if (file < 0) return errno == EACCES || errno == EPERM;
    close(file);
    return false;
}

static bool cannot_make_socket(int domain, int type) {
    int made = socket(domain, type | SOCK_CLOEXEC, 0);
    if (made < 0) return errno == EPERM;
    close(made);
    return false;
}

/* No server has port 0. The kernel says so with another error than the broker, which lists none. */
static bool cannot_connect(void) {
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0) return false;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    bool is_refused = connect(made, (struct sockaddr *)&address, sizeof address) != 0 && errno == EACCES;
    close(made);
    return is_refused;
}

static bool cannot_fork(void) {
    long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    if (child < 0) return errno == EPERM;
    waitpid((pid_t)child, NULL, 0);
    return false;
}

unsigned eaves_wall_failures(unsigned acts, unsigned rights, const char *path) {
    unsigned failed = 0;
    bool has_network = rights & (eaves_wall_network | eaves_wall_resolve);
    bool stays_alone = cannot_make_socket(AF_UNIX, SOCK_STREAM) && cannot_make_socket(AF_NETLINK, SOCK_RAW)
        && (has_network ? cannot_connect() : cannot_make_socket(AF_INET, SOCK_STREAM));
    if (!stays_alone) failed |= eaves_wall_act_connect;
    if (!is_closed("/", O_RDONLY | O_DIRECTORY)) failed |= eaves_wall_act_read;
    /* Every process may write its own name there, and no rule for a module allows it. */
    if (!is_closed("/proc/self/comm", O_WRONLY)) failed |= eaves_wall_act_write;
    if (kill(getppid(), 0) == 0 || errno != EPERM) failed |= eaves_wall_act_signal;
    struct iovec nothing = {0};
    if (syscall(SYS_process_vm_readv, getppid(), &nothing, 0, &nothing, 0, 0) >= 0 || errno != EPERM) {
        failed |= eaves_wall_act_memory;
    }
    if (!(rights & eaves_wall_processes)) {
        if (!cannot_fork()) failed |= eaves_wall_act_fork;
        /* Without the filter, this finds no file. */
        char *none[] = {NULL};
        if (execve("", none, none) == 0 || errno != EPERM) failed |= eaves_wall_act_exec;
    }
    if (is_closed(path, O_RDONLY)) failed |= eaves_wall_act_allowed;
    return failed & acts;
}
