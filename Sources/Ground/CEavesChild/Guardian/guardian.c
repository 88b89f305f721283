/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "guardian.h"
#include "bare_process.h"
#include "calls.h"
#include "confinement.h"
#include "proc.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <sys/wait.h>

/* The data that a guardian has in memory that it shares with its caller, who reads it. */
typedef struct guarding {
    /* The first member: its address is that of the whole. */
    eaves_guarded told;
    /* The program, by the number that it has for the guardian. */
    pid_t program;
    /* The descendants of the guardian that were found last. */
    descendants found;
    /* Why the program could not be started, as errno has it; 0 if it runs. */
    int failure;
    /* The caller's request, and the names of its own; all are valid until it knows that the program runs. */
    const eaves_guarded_program *asked;
    const char *search_path;
    pid_t caller;
    long processors;
    /* The write end of a pipe, which ends when the program runs or has failed. */
    int start;
    /* What the guardian goes on with after that. */
    int role;
    unsigned processes;
    uint64_t memory;
    char path[4096];
    own_memory guardians, programs;
} guarding;

/* Executes the program if it is found in one of the folders of PATH. Returns the error of the last attempt that tells more
 * than that it is not there. */
static long search(guarding *own) {
    const eaves_guarded_program *asked = own->asked;
    long error = -ENOENT;
    size_t length = 1;
    for (const char *name = asked->executable; *name; ++name) ++length;
    for (const char *folder = own->search_path; *folder;) {
        char *end = own->path;
        while (*folder && *folder != ':' && end < own->path + sizeof own->path - 2) *end++ = *folder++;
        bool fits = !*folder || *folder == ':';
        while (*folder && *folder != ':') ++folder;
        if (*folder) ++folder;
        if (!fits || end + length + 1 > own->path + sizeof own->path) continue;
        if (end == own->path) *end++ = '.';
        add_text(add_text(end, "/"), asked->executable);
        long result = call_execute(own->path, asked->arguments, asked->environment);
        if (result == -ENOENT || result == -ENOTDIR) continue;
        error = result;
        if (result != -EACCES) break;
    }
    return error;
}

static long execute(guarding *own) {
    const eaves_guarded_program *asked = own->asked;
    for (const char *name = asked->executable; *name; ++name) {
        if (*name == '/') return call_execute(asked->executable, asked->arguments, asked->environment);
    }
    return search(own);
}

/* The identifier by which /proc shows this process: in a PID namespace it is another than getpid gives. */
static pid_t shown_identifier(void) {
    char digits[16];
    const char *rest = digits;
    long length = call_read_link("/proc/self", digits, sizeof digits - 1);
    digits[length < 0 ? 0 : length] = 0;
    return (pid_t)next_number(&rest);
}

/* Becomes the program. */
static void run(void *argument) {
    guarding *own = argument;
    const eaves_guarded_program *asked = own->asked;
    reset_signals();
    if (own->role == eaves_role_judge) {
        call_lead_session();
    } else {
        call_lead_group();
    }
    /* The kernel kills the program with a guardian that is killed. */
    call_prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (call_parent() != own->told.guardian) call_exit(127);
    close_descriptors_from(asked->stream_count);
    if (own->role == eaves_role_judge) {
        bool is_first = own->told.guardian == 1;
        limit(asked, own->processors);
        own->told.means = confine(asked->means, own->told.guardian, is_first ? 0 : own->caller);
        if (is_first) own->told.means |= eaves_confined_namespace;
    }
    own->told.process = shown_identifier();
    long error = asked->folder ? call_enter(asked->folder) : 0;
    if (error == 0) error = execute(own);
    own->failure = (int)-error;
    call_exit(127);
}

/* Takes the ends of all children that have ended. Returns false if there are no children. */
static bool reap(guarding *own) {
    int status;
    pid_t child;
    while ((child = call_wait(&status, WNOHANG)) > 0) {
        if (child != own->program) continue;
        own->told.status = status;
        own->told.has_ended = true;
    }
    return child == 0;
}

/* In a PID namespace, a signal goes to all others in it at once. */
static bool is_first(void) { return call_process() == 1; }

/* Asks the program and all its descendants to end. */
static void ask_all(guarding *own) {
    if (is_first()) return call_kill(-1, SIGTERM);
    signal_descendants(&own->found, SIGTERM);
    /* Without /proc, its group is all that is known. */
    if (own->found.count == 0 && !own->told.has_ended) call_kill(-own->program, SIGTERM);
}

/* Kills the program and all its descendants, and waits for them. */
static void end_all(guarding *own) {
    static const struct timespec step = {.tv_nsec = 1000 * 1000};
    for (int round = 0; round < 20000; ++round) {
        if (is_first()) {
            call_kill(-1, SIGKILL);
        } else {
            if (!own->told.has_ended) call_kill(-own->program, SIGKILL);
            kill_descendants(&own->found);
        }
        if (!reap(own)) return;
        call_sleep(&step);
    }
}

/* The descriptors of the guardian: the program's, and behind them its own two. It closes all others of its caller at once,
 * because the locks on them last as long as they are open somewhere. */
static void keep_own_descriptors(guarding *own) {
    const eaves_guarded_program *asked = own->asked;
    int wanted[eaves_most_streams + 2];
    for (int index = 0; index < asked->stream_count; ++index) wanted[index] = asked->streams[index];
    wanted[asked->stream_count] = asked->lifeline;
    wanted[asked->stream_count + 1] = own->start;
    keep_descriptors(wanted, asked->stream_count + 2);
}

/* Starts the program, and goes on when it runs or has failed: before, its memory is the guardian's, and would count as its
 * own. Returns the descriptor of the lifeline; no other is left. */
static int start(guarding *own) {
    int lifeline = own->asked->stream_count;
    long program = share_memory(CLONE_VFORK, &own->programs, run, own);
    if (program < 0) own->failure = (int)-program;
    own->program = (pid_t)program;
    if (own->failure) call_exit(127);
    call_move_descriptor(lifeline, 0);
    /* The caller goes on, and what it has asked for is not valid any more. */
    close_descriptors_from(1);
    return 0;
}

/* Whether a judge and its descendants keep within their limits. */
static bool is_within_limits(guarding *own) {
    find_descendants(&own->found);
    if (own->found.count > own->processes) {
        own->told.excess = eaves_excess_processes;
    } else if (memory_use(&own->found) > own->memory) {
        own->told.excess = eaves_excess_memory;
    }
    return own->told.excess == eaves_excess_none;
}

/* Takes one byte from the caller. Returns false if everything shall end. */
static bool obey(int lifeline, guarding *own) {
    unsigned char number = 0;
    long count = call_read(lifeline, &number, 1);
    if (count < 0) return count == -EINTR || count == -EAGAIN;
    if (count == 0) return false;
    if (!own->told.has_ended) call_kill(own->program, number);
    return true;
}

static uint64_t bit(int signal) { return (uint64_t)1 << (signal - 1); }

static void guard(void *argument) {
    guarding *own = argument;
    own->told.guardian = call_process();
    keep_own_descriptors(own);
    const uint64_t handled = bit(SIGCHLD) | bit(SIGTERM) | bit(SIGINT) | bit(SIGHUP) | bit(SIGQUIT);
    reset_handlers();
    if (own->role == eaves_role_judge) {
        call_lead_session();
    } else {
        call_lead_group();
    }
    call_set_mask(&handled);
    call_prctl(PR_SET_CHILD_SUBREAPER, 1);
    int lifeline = start(own);
    int signals = call_signal_descriptor(&handled, SFD_CLOEXEC | SFD_NONBLOCK);
    struct pollfd watched[] = {{.fd = lifeline, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    bool is_ending = false, is_over = false;
    while (true) {
        bool has_children = reap(own);
        /* What the program has left behind would be the guardian's child. */
        if (own->told.has_ended && !has_children) call_exit(0);
        if (own->told.has_ended && !is_ending) break;
        struct timespec step = {.tv_nsec = 25 * 1000 * 1000};
        call_poll(watched, 2, own->role == eaves_role_judge ? &step : NULL);
        struct signalfd_siginfo signal;
        while (call_read(signals, &signal, sizeof signal) == sizeof signal) {
            if (signal.ssi_signo == SIGCHLD || is_ending) continue;
            is_ending = true;
            ask_all(own);
        }
        is_over = watched[0].revents && !obey(lifeline, own);
        if (is_over || (own->role == eaves_role_judge && !is_within_limits(own))) break;
    }
    if (own->told.has_ended && own->role != eaves_role_tool) {
        find_descendants(&own->found);
        own->told.left = (int)own->found.count;
    }
    bool leaves_all = own->role == eaves_role_tool && own->told.has_ended && WIFEXITED(own->told.status);
    if (is_over || !leaves_all) end_all(own);
    call_exit(0);
}

/* Whether the system kills all processes on a memory of which it writes a core file, as it did up to Linux 5.15. */
static bool kills_sharers(void) {
    struct utsname system;
    int major = 0, minor = 0;
    return uname(&system) == 0 && sscanf(system.release, "%d.%d", &major, &minor) == 2
        && (major < 5 || (major == 5 && minor <= 15));
}

/* Starts the guardian, with all signals blocked, so that no handler of the caller runs in it. */
static pid_t start_guardian(guarding *own) {
    const eaves_guarded_program *asked = own->asked;
    if (own->role != eaves_role_judge && !(asked->outlives_core_files && kills_sharers())) {
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before);
        pid_t guardian = share_memory(0, &own->guardians, guard, own);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return guardian;
    }
    pid_t guardian = -1;
    if (asked->means & eaves_confined_namespace) guardian = copy_process(CLONE_NEWPID);
    if (guardian < 0) guardian = copy_process(0);
    if (guardian == 0) guard(own);
    return guardian < 0 ? -errno : guardian;
}

const eaves_guarded *eaves_guard(const eaves_guarded_program *asked) {
    int start[2];
    guarding *own = mmap(NULL, sizeof *own, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED) return NULL;
    if (pipe2(start, O_CLOEXEC) != 0) {
        int error = errno;
        eaves_free_guarded(&own->told);
        errno = error;
        return NULL;
    }
    const char *search_path = getenv("PATH");
    own->asked = asked;
    own->search_path = search_path ? search_path : "/bin:/usr/bin";
    own->caller = getpid();
    own->processors = sysconf(_SC_NPROCESSORS_ONLN);
    own->start = start[1];
    own->role = asked->role;
    own->processes = asked->processes;
    own->memory = asked->memory;
    own->told.status = SIGKILL;
    pid_t guardian = start_guardian(own);
    close(start[1]);
    char byte;
    while (guardian > 0 && read(start[0], &byte, 1) < 0 && errno == EINTR) {}
    close(start[0]);
    if (guardian < 0) own->failure = -guardian;
    if (!own->failure) {
        /* In its own namespace, it has another one. */
        own->told.guardian = guardian;
        return &own->told;
    }
    while (guardian > 0 && waitpid(guardian, NULL, 0) < 0 && errno == EINTR) {}
    int error = own->failure;
    eaves_free_guarded(&own->told);
    errno = error;
    return NULL;
}

void eaves_free_guarded(const eaves_guarded *guarded) { munmap((void *)guarded, sizeof(guarding)); }
