/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "keeper.h"
#include "bare_process.h"
#include "calls.h"
#include "started_program.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

/* The data that a keeper has in its caller's memory, and that the caller reads. */
struct eaves_kept_tool {
    pid_t keeper;
    started_program program;
    /* Why the tool could not be started, as errno has it; 0 if it runs. */
    int failure;
    /* The caller's request, and the names of its own; both are valid until it knows that the tool runs. */
    const eaves_tool *tool;
    const char *search_path;
    /* The write end of a pipe, which ends when the tool runs or has failed. */
    int start;
    char path[4096];
    own_memory keepers, tools;
};

/* Executes the tool if it is found in one of the folders of PATH. Returns the error of the last attempt that tells more
 * than that it is not there. */
static long search(eaves_kept_tool *kept) {
    const eaves_tool *tool = kept->tool;
    long error = -ENOENT;
    size_t length = 1;
    for (const char *name = tool->executable; *name; ++name) ++length;
    for (const char *folder = kept->search_path; *folder;) {
        char *end = kept->path;
        while (*folder && *folder != ':' && end < kept->path + sizeof kept->path - 2) *end++ = *folder++;
        bool fits = !*folder || *folder == ':';
        while (*folder && *folder != ':') ++folder;
        if (*folder) ++folder;
        if (!fits || end + length + 1 > kept->path + sizeof kept->path) continue;
        if (end == kept->path) *end++ = '.';
        add_text(add_text(end, "/"), tool->executable);
        long result = call_execute(kept->path, tool->arguments, tool->environment);
        if (result == -ENOENT || result == -ENOTDIR) continue;
        error = result;
        if (result != -EACCES) break;
    }
    return error;
}

static long execute(eaves_kept_tool *kept) {
    const eaves_tool *tool = kept->tool;
    for (const char *name = tool->executable; *name; ++name) {
        if (*name == '/') return call_execute(tool->executable, tool->arguments, tool->environment);
    }
    return search(kept);
}

/* Becomes the tool. */
static void run(void *argument) {
    eaves_kept_tool *kept = argument;
    reset_signals();
    call_lead_group();
    /* The kernel kills the tool with a keeper that is killed. */
    call_prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (call_parent() != kept->keeper) call_exit(127);
    close_descriptors_from(kept->tool->stream_count);
    long error = kept->tool->folder ? call_enter(kept->tool->folder) : 0;
    if (error == 0) error = execute(kept);
    kept->failure = (int)-error;
    call_exit(127);
}

/* Asks the tool and all its descendants to end. */
static void ask_all(started_program *program) {
    signal_descendants(&program->found, SIGTERM);
    /* Without /proc, its group is all that is known. */
    if (program->found.count == 0 && !program->has_ended) call_kill(-program->process, SIGTERM);
}

/* The descriptors of the keeper: the tool's, and behind them its own two. It closes all others of its caller at once,
 * because the locks on them last as long as they are open somewhere. */
static void keep_own_descriptors(eaves_kept_tool *kept) {
    const eaves_tool *tool = kept->tool;
    int wanted[eaves_most_streams + 2];
    for (int index = 0; index < tool->stream_count; ++index) wanted[index] = tool->streams[index];
    wanted[tool->stream_count] = tool->lifeline;
    wanted[tool->stream_count + 1] = kept->start;
    keep_descriptors(wanted, tool->stream_count + 2);
}

/* Starts the tool, and goes on when it runs or has failed. Returns the descriptor of the lifeline; no other is left. */
static int start(eaves_kept_tool *kept) {
    int lifeline = kept->tool->stream_count;
    /* The keeper waits meanwhile, so that both can use the same memory. */
    long tool = share_memory(CLONE_VFORK, &kept->tools, run, kept);
    if (tool < 0) kept->failure = (int)-tool;
    kept->program.process = (pid_t)tool;
    if (kept->failure) call_exit(127);
    call_move_descriptor(lifeline, 0);
    /* The caller goes on, and what it has asked for is not valid any more. */
    close_descriptors_from(1);
    return 0;
}

static uint64_t bit(int signal) { return (uint64_t)1 << (signal - 1); }

static void keep(void *argument) {
    eaves_kept_tool *kept = argument;
    started_program *program = &kept->program;
    kept->keeper = call_process();
    keep_own_descriptors(kept);
    const uint64_t handled = bit(SIGCHLD) | bit(SIGTERM) | bit(SIGINT) | bit(SIGHUP) | bit(SIGQUIT);
    reset_handlers();
    call_lead_group();
    call_set_mask(&handled);
    call_prctl(PR_SET_CHILD_SUBREAPER, 1);
    int lifeline = start(kept);
    int signals = call_signal_descriptor(&handled, SFD_CLOEXEC | SFD_NONBLOCK);
    struct pollfd watched[] = {{.fd = lifeline, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    bool is_ending = false;
    while (true) {
        bool has_children = reap(program);
        if (program->has_ended && (!is_ending || !has_children)) break;
        call_poll(watched, 2);
        struct signalfd_siginfo signal;
        while (call_read(signals, &signal, sizeof signal) == sizeof signal) {
            if (signal.ssi_signo == SIGCHLD || is_ending) continue;
            is_ending = true;
            ask_all(program);
        }
        if (watched[0].revents) {
            end_all(program);
            break;
        }
    }
    if (program->has_ended && WIFSIGNALED(program->status)) end_all(program);
    call_exit(0);
}

/* Starts the keeper, with all signals blocked, so that no handler of the caller runs in it. */
static pid_t start_keeper(eaves_kept_tool *kept) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pid_t keeper = share_memory(0, &kept->keepers, keep, kept);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return keeper;
}

eaves_kept_tool *eaves_keep(const eaves_tool *tool) {
    int start[2];
    eaves_kept_tool *kept =
        mmap(NULL, sizeof *kept, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (kept == MAP_FAILED) return NULL;
    if (pipe2(start, O_CLOEXEC) != 0) {
        int error = errno;
        eaves_free_kept(kept);
        errno = error;
        return NULL;
    }
    const char *search_path = getenv("PATH");
    kept->tool = tool;
    kept->search_path = search_path ? search_path : "/bin:/usr/bin";
    kept->start = start[1];
    pid_t keeper = start_keeper(kept);
    close(start[1]);
    char byte;
    while (keeper > 0 && read(start[0], &byte, 1) < 0 && errno == EINTR) {}
    close(start[0]);
    if (keeper < 0) kept->failure = -keeper;
    if (!kept->failure) {
        kept->keeper = keeper;
        return kept;
    }
    while (keeper > 0 && waitpid(keeper, NULL, 0) < 0 && errno == EINTR) {}
    int error = kept->failure;
    eaves_free_kept(kept);
    errno = error;
    return NULL;
}

pid_t eaves_keeper(const eaves_kept_tool *kept) { return kept->keeper; }

int eaves_kept_status(const eaves_kept_tool *kept) {
    return kept->program.has_ended ? kept->program.status : SIGKILL;
}

void eaves_free_kept(eaves_kept_tool *kept) { munmap(kept, sizeof *kept); }
