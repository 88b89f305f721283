/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "hot_restart.h"
#include "waiter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static eaves_inheritance inherited = {-1, -1};
static char **own_arguments;

eaves_inheritance eaves_inherited(void) { return inherited; }

const char *eaves_start_path(void) { return (const char *)getauxval(AT_EXECFN); }

static bool is_socket(int descriptor) {
    struct stat status;
    return descriptor > 2 && fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode);
}

/* Runs before main, and before any other code of the program. */
__attribute__((constructor)) static void begin(int count, char **arguments) {
    (void)count;
    own_arguments = arguments;
    int lifeline = -1, host = 0, length = 0;
    const char *waiting = secure_getenv(EAVES_WAITER_VARIABLE);
    if (waiting && sscanf(waiting, "1:%d:%d:%n", &lifeline, &host, &length) == 2 && length > 0 && host > 1 &&
        is_socket(lifeline)) {
        prctl(PR_SET_NAME, waiting + length);
        eaves_wait(host, lifeline);
    }
    const char *handover = secure_getenv("EAVES_HANDOVER");
    if (!handover) return;
    int channel = -1;
    if (sscanf(handover, "1:%d:%d", &channel, &lifeline) == 2 && is_socket(channel) && is_socket(lifeline)) {
        fcntl(channel, F_SETFD, FD_CLOEXEC);
        fcntl(lifeline, F_SETFD, FD_CLOEXEC);
        inherited.channel = channel;
        inherited.lifeline = lifeline;
    }
    unsetenv("EAVES_HANDOVER");
}

/* The environment with one more variable. Nobody frees it: exec follows. */
static char **environment_with(char *variable) {
    size_t count = 0;
    while (environ[count]) ++count;
    char **all = malloc(sizeof(char *) * (count + 2));
    if (!all) return NULL;
    memcpy(all, environ, sizeof(char *) * count);
    all[count] = variable;
    all[count + 1] = NULL;
    return all;
}

/* The numbers of the two sockets in a successor: those behind the standard descriptors. */
enum { successor_channel = 3, successor_lifeline = 4, first_closed = 5 };

/* Lets a child have the two sockets and the standard descriptors, and nothing else that this process has open. The
 * caller closes the copies. Returns false, with errno set, if there are no further descriptors. */
static bool pass_only(posix_spawn_file_actions_t *actions, int channel, int lifeline, int copies[2]) {
    /* Neither has a number that the other one gets. */
    copies[0] = fcntl(channel, F_DUPFD_CLOEXEC, first_closed);
    copies[1] = fcntl(lifeline, F_DUPFD_CLOEXEC, first_closed);
    if (copies[0] < 0 || copies[1] < 0) return false;
    posix_spawn_file_actions_adddup2(actions, copies[0], successor_channel);
    posix_spawn_file_actions_adddup2(actions, copies[1], successor_lifeline);
    posix_spawn_file_actions_addclosefrom_np(actions, first_closed);
    return true;
}

pid_t eaves_start_successor(const char *program, const char *folder, int channel, int lifeline) {
    char variable[64];
    snprintf(variable, sizeof variable, "EAVES_HANDOVER=1:%d:%d", successor_channel, successor_lifeline);
    char **environment = environment_with(variable);
    if (!environment) return -1;

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    int copies[2] = {-1, -1};
    bool passes = pass_only(&actions, channel, lifeline, copies);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);

    pid_t successor = -1;
    int reason = passes ? posix_spawn(&successor, program, &actions, &attributes, own_arguments, environment) : errno;
    for (int index = 0; index < 2; ++index) {
        if (copies[index] >= 0) close(copies[index]);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    if (reason == 0) return successor;
    errno = reason;
    return -1;
}

_Noreturn void eaves_become_waiter(pid_t host, int lifeline) {
    /* A signal that comes meanwhile waits until the waiter passes it on. */
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    char name[17] = "";
    prctl(PR_GET_NAME, name);
    char variable[96];
    snprintf(variable, sizeof variable, "%s=1:%d:%d:%s", EAVES_WAITER_VARIABLE, lifeline, (int)host, name);
    char **environment = environment_with(variable);
    fcntl(lifeline, F_SETFD, 0);
    eaves_quieten();
    /* The very file that this process runs, whatever stands in its place by now. */
    if (environment) execve("/proc/self/exe", own_arguments, environment);
    /* Without exec its memory stays, and all else is the same. */
    eaves_wait(host, lifeline);
}

bool eaves_announce_successor(pid_t successor, int lifeline) {
    char line[16];
    int length = snprintf(line, sizeof line, "%d\n", (int)successor);
    ssize_t sent;
    do sent = write(lifeline, line, (size_t)length);
    while (sent < 0 && errno == EINTR);
    if (sent != length) return false;
    /* The waiter reads it at its next signal. From then on, it passes signals to the successor. */
    struct ucred waiter;
    socklen_t size = sizeof waiter;
    if (getsockopt(lifeline, SOL_SOCKET, SO_PEERCRED, &waiter, &size) == 0 && waiter.pid > 1) {
        kill(waiter.pid, SIGURG);
        int unread = 1;
        for (int round = 0; round < 1000 && ioctl(lifeline, SIOCOUTQ, &unread) == 0 && unread > 0; ++round) usleep(1000);
    }
    eaves_pass_on_pending();
    return true;
}

static volatile sig_atomic_t is_requested;
static int request_event = -1;

static void note(int number) {
    (void)number;
    int reason = errno;
    uint64_t one = 1;
    is_requested = 1;
    if (write(request_event, &one, sizeof one) < 0) {}
    errno = reason;
}

bool eaves_note_request(int number, int event) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) < 0) return false;
    if (action.sa_handler != SIG_DFL && action.sa_handler != note) return false;
    request_event = event;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    sigfillset(&action.sa_mask);
    return sigaction(number, &action, NULL) == 0;
}

bool eaves_take_request(void) {
    bool was = is_requested;
    is_requested = 0;
    return was;
}
