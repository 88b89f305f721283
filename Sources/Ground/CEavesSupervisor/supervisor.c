/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "supervisor.h"
#include "bare_process.h"
#include "confinement.h"
#include "memory_use.h"
#include "started_program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef CLONE_NEWPID
#define CLONE_NEWPID 0x20000000
#endif

/* The program, and the limit that it has exceeded. Each supervisor has its own, because it is a copy of its caller. */
static started_program program;
static int excess;

/* A handler that does nothing: the signal ends a wait. */
static void on_child(int number) { (void)number; }

static void report(int descriptor, const char *word, const int *numbers, int count) {
    char line[128];
    char *end = add_text(line, word);
    for (int index = 0; index < count; ++index) end = add_number(add_text(end, " "), (unsigned)numbers[index]);
    end = add_text(end, "\n");
    /* A caller that is gone reads nothing, and the end of the commands says so, too. */
    if (write(descriptor, line, (size_t)(end - line)) < 0) return;
}

/* The identifier by which /proc shows this process: in a PID namespace it is another than getpid gives. */
static int shown_identifier(void) {
    char digits[16] = {0};
    const char *rest = digits;
    return readlink("/proc/self", digits, sizeof digits - 1) < 0 ? 0 : (int)next_number(&rest);
}

/* Becomes the program. */
static _Noreturn void run(const eaves_supervision *supervision, pid_t supervisor, pid_t judge) {
    reset_signals();
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != supervisor) _exit(127);
    int empty = open("/dev/null", O_RDONLY);
    const int wanted[] = {empty, supervision->output, supervision->output, supervision->channel,
                          supervision->reports};
    keep_descriptors(wanted, 5);
    fcntl(4, F_SETFD, FD_CLOEXEC);
    limit(supervision);
    int means = (int)confine(supervision->means, supervisor, judge);
    if (supervisor == 1) means |= eaves_confined_namespace;
    const int start[] = {means, shown_identifier()};
    report(4, "confined", start, 2);
    execve(supervision->executable, supervision->arguments, supervision->environment);
    report(4, "failed", &errno, 1);
    _exit(127);
}

/* Whether the program and its descendants keep within the limits. */
static bool is_within_limits(const eaves_supervision *supervision) {
    find_descendants(&program.found);
    if (program.found.count > supervision->processes) {
        excess = eaves_excess_processes;
        return false;
    }
    if (memory_use(&program.found) > supervision->memory) excess = eaves_excess_memory;
    return !excess;
}

/* Obeys one command. Returns false if everything shall end. */
static bool obey(int commands) {
    unsigned char number = 0;
    ssize_t count = read(commands, &number, 1);
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    if (count == 0 || number == 0) return false;
    if (!program.has_ended) kill(program.process, number);
    return true;
}

static _Noreturn void supervise(const eaves_supervision *asked, pid_t judge) {
    eaves_supervision supervision = *asked;
    sigset_t child, none;
    sigemptyset(&none);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    reset_signals();
    sigprocmask(SIG_BLOCK, &child, NULL);
    struct sigaction action = {.sa_handler = on_child};
    sigaction(SIGCHLD, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    setsid();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const int wanted[] = {supervision.commands, supervision.reports, supervision.output,
                          supervision.channel};
    keep_descriptors(wanted, 4);
    supervision.commands = 0;
    supervision.reports = 1;
    supervision.output = 2;
    supervision.channel = 3;
    pid_t self = getpid();
    /* Goes on when the program is loaded: before, its memory is that of this copy of the caller, and would count as the
     * program's own. run() changes nothing that the supervisor goes on with. */
    program.process = vfork();
    if (program.process == 0) run(&supervision, self, self == 1 ? 0 : judge);
    if (program.process < 0) {
        report(supervision.reports, "failed", &errno, 1);
        _exit(1);
    }
    /* The other end of the channel must see its end with the program. */
    close_descriptors_from(2);
    struct pollfd watched = {.fd = supervision.commands, .events = POLLIN};
    static const struct timespec step = {.tv_nsec = 25 * 1000 * 1000};
    while (reap(&program), !program.has_ended) {
        int ready = ppoll(&watched, 1, &step, &none);
        if (ready > 0 && !obey(supervision.commands)) break;
        if (!is_within_limits(&supervision)) break;
    }
    int left = 0;
    if (program.has_ended) {
        find_descendants(&program.found);
        left = (int)program.found.count;
    }
    end_all(&program);
    const int ends[] = {program.status, left, excess};
    report(supervision.reports, "ended", ends, 3);
    _exit(0);
}

pid_t eaves_supervise(const eaves_supervision *supervision) {
    pid_t judge = getpid();
    pid_t supervisor = -1;
    if (supervision->means & eaves_confined_namespace) supervisor = copy_process(CLONE_NEWPID);
    if (supervisor < 0) supervisor = copy_process(0);
    if (supervisor == 0) supervise(supervision, judge);
    return supervisor;
}
