/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "keeper.h"
#include "copied_process.h"
#include "descendants.h"
#include "started_program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whether a signal has asked the keeper to end. */
static volatile sig_atomic_t was_asked;

static void on_request(int number) {
    (void)number;
    was_asked = 1;
}

/* Tells the caller why the tool does not run. A caller that is gone asks for no reason. */
static _Noreturn void fail(int failure) {
    int error = errno;
    _exit(write(failure, &error, sizeof error) < 0 ? 126 : 127);
}

/* The descriptors of the keeper: the tool's, and behind them its own two. It closes all others of its caller at once,
 * because the locks on them last as long as they are open somewhere. */
static int keep_own_descriptors(const eaves_tool *tool) {
    int wanted[eaves_most_streams + 2];
    for (int index = 0; index < tool->stream_count; ++index) wanted[index] = tool->streams[index];
    wanted[tool->stream_count] = tool->failure;
    wanted[tool->stream_count + 1] = tool->lifeline;
    keep_descriptors(wanted, tool->stream_count + 2);
    return tool->stream_count;
}

/* Becomes the tool. The descriptor that failures are told by stands behind the tool's own. */
static _Noreturn void run(const eaves_tool *tool, int failure, pid_t keeper) {
    reset_signals();
    setpgid(0, 0);
    /* The kernel kills the tool with a keeper that is killed. The signal comes at the end of the thread that has made
     * the copy, and the keeper has only one. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper) _exit(127);
    close_descriptors_from(failure + 1);
    fcntl(failure, F_SETFD, FD_CLOEXEC);
    if (!tool->folder || chdir(tool->folder) == 0) {
        execvpe(tool->executable, tool->arguments, tool->environment);
    }
    fail(failure);
}

/* Asks the tool and all its descendants to end. */
static void ask_all(void) {
    signal_descendants(&found, SIGTERM);
    /* Without /proc, its group is all that is known. */
    if (found.count == 0 && !has_ended) kill(-program, SIGTERM);
}

/* Ends this process as the tool has ended. */
static _Noreturn void end_likewise(void) {
    if (!has_ended) _exit(128 + SIGKILL);
    if (!WIFSIGNALED(end_status)) _exit(WEXITSTATUS(end_status));
    reset_signals();
    /* Only the tool's own memory would tell anything. */
    prctl(PR_SET_DUMPABLE, 0);
    kill(getpid(), WTERMSIG(end_status));
    _exit(128 + WTERMSIG(end_status));
}

static void handle(int number, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler};
    sigaction(number, &action, NULL);
}

static _Noreturn void keep(const eaves_tool *tool) {
    static const int requests[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    int failure = keep_own_descriptors(tool);
    sigset_t handled, none;
    reset_handlers();
    sigemptyset(&none);
    sigemptyset(&handled);
    sigaddset(&handled, SIGCHLD);
    for (unsigned index = 0; index < sizeof requests / sizeof *requests; ++index) {
        sigaddset(&handled, requests[index]);
        handle(requests[index], on_request);
    }
    handle(SIGCHLD, on_child);
    setpgid(0, 0);
    sigprocmask(SIG_SETMASK, &handled, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t self = getpid();
    /* The tool shares the keeper's memory until it is loaded: a second copy of a large caller's tables of pages would
     * take as long as the first one. run() changes nothing that the keeper goes on with. */
    program = vfork();
    if (program == 0) run(tool, failure, self);
    if (program < 0) fail(failure);
    int lifeline_end = failure + 1;
    keep_descriptors(&lifeline_end, 1);
    struct pollfd lifeline = {.fd = 0, .events = POLLIN};
    bool is_ending = false;
    while (true) {
        bool has_children = reap();
        if (has_ended && (!is_ending || !has_children)) break;
        int ready = ppoll(&lifeline, 1, NULL, &none);
        if (was_asked && !is_ending) {
            is_ending = true;
            ask_all();
        }
        if (ready > 0) {
            end_all();
            break;
        }
    }
    if (has_ended && WIFSIGNALED(end_status)) end_all();
    end_likewise();
}

pid_t eaves_keep(const eaves_tool *tool) {
    pid_t keeper = copy_process_blocked(0);
    if (keeper == 0) keep(tool);
    return keeper;
}
