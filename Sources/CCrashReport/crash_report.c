/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "crash_report.h"
#include "crash_notes.h"
#include "stack_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* A signal that threads of the Swift runtime do not block. */
const int eaves_crash_question = SIGPROF;

enum { crash_count = 6 };
static const int crash_signals[crash_count] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE};
static struct sigaction former[crash_count];

static watched_module *_Atomic modules;
static int report_descriptor = -1;
static atomic_bool is_exit_expected;
static pid_t process;

/* Taken by the thread that writes a report. It is not released after a crash, so that no other
 * report follows. */
static atomic_flag is_reporting = ATOMIC_FLAG_INIT;
static memory_map map;
static walk_frame frames[max_frames];

watched_module *newest_module(void) { return modules; }

/* Returns the module to blame: that of the innermost code. A crash in the host's own code is not
 * the fault of the module that called it. */
static const watched_module *blamed(size_t count) {
    for (size_t index = 0; index < count; ++index) {
        if (frames[index].range->is_program) return NULL;
        if (frames[index].range->module) return frames[index].range->module;
    }
    return NULL;
}

static size_t walk(void *context) {
    read_memory_map(&map);
    return walk_interrupted(&map, &((ucontext_t *)context)->uc_mcontext, frames);
}

/* Whether a signal comes from a mistake in this process. A signal that another process has sent is
 * no mistake, and a forked child is not watched. */
static bool is_own_fault(const siginfo_t *info) {
    pid_t self = getpid();
    return self == process && (info->si_code > 0 || info->si_pid == self);
}

static void on_crash(int number, siginfo_t *info, void *context) {
    leave_walk();
    int error = errno;
    if (is_own_fault(info)) {
        /* Another thread has crashed and reports it; its signal is going to end the process. */
        while (atomic_flag_test_and_set(&is_reporting)) pause();
        size_t count = walk(context);
        if (report_descriptor >= 0) {
            write_report(report_descriptor, "crash", number, frames, count);
        }
        const watched_module *module = blamed(count);
        if (module) write_log(number, process, module);
    }
    for (int index = 0; index < crash_count; ++index) {
        if (crash_signals[index] == number) sigaction(number, &former[index], NULL);
    }
    /* Sends the signal again. It arrives when this handler returns, and the former handler gets it
     * with all its information. */
    syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), number, info);
    errno = error;
}

/* Sends a signal to every thread, because the system may have delivered it to an idle one. */
static void ask_all_threads(int number) {
    struct entry {
        uint64_t inode;
        int64_t offset;
        unsigned short length;
        unsigned char type;
        char name[];
    };
    int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    _Alignas(struct entry) char buffer[4096];
    long filled;
    while ((filled = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0) {
        for (long at = 0; at < filled;) {
            const struct entry *entry = (const struct entry *)(buffer + at);
            long thread = 0;
            for (const char *digit = entry->name; *digit >= '0' && *digit <= '9'; ++digit) {
                thread = thread * 10 + (*digit - '0');
            }
            if (thread) syscall(SYS_tgkill, getpid(), thread, number);
            at += entry->length;
        }
    }
    close(folder);
}

/* Passes a question from another process on to all threads. A thread that gets it from there
 * reports its stack if the stack leads through a module's code. */
static void on_question(int number, siginfo_t *info, void *context) {
    int error = errno;
    if (info->si_pid != getpid()) {
        ask_all_threads(number);
    } else {
        while (atomic_flag_test_and_set(&is_reporting)) sched_yield();
        size_t count = walk(context);
        bool is_of_module = false;
        for (size_t index = 0; index < count; ++index) {
            is_of_module |= frames[index].range->module != NULL;
        }
        if (is_of_module) write_report(report_descriptor, "stuck", -1, frames, count);
        atomic_flag_clear(&is_reporting);
    }
    errno = error;
}

static void on_end(int status, void *unused) {
    (void)unused;
    if (atomic_load(&is_exit_expected) || getpid() != process) return;
    if (atomic_flag_test_and_set(&is_reporting)) return;
    read_memory_map(&map);
    uint64_t caller = (uint64_t)(uintptr_t)__builtin_return_address(0);
    size_t count = walk_stack(&map, caller, frames);
    write_report(report_descriptor, "exit", status, frames, count);
}

static void use_stack(void *memory, size_t size) {
    stack_t stack = {.ss_sp = memory, .ss_size = size};
    stack_t used;
    /* Swift's own backtrace may have installed one. */
    if (sigaltstack(NULL, &used) == 0 && !(used.ss_flags & SS_DISABLE)) return;
    sigaltstack(&stack, NULL);
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *),
                   struct sigaction *before) {
    struct sigaction action = {.sa_sigaction = handler};
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigfillset(&action.sa_mask);
    sigaction(number, &action, before);
}

void eaves_crash_watch(void) {
    static _Alignas(16) char stack[64 * 1024];
    process = getpid();
    use_stack(stack, sizeof stack);
    for (int index = 0; index < crash_count; ++index) {
        handle(crash_signals[index], on_crash, &former[index]);
    }
}

void eaves_crash_watch_thread(void) {
    static _Alignas(16) char stack[64 * 1024];
    static atomic_flag is_taken = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&is_taken)) use_stack(stack, sizeof stack);
}

void eaves_crash_expect_module(const char *id, const char *path, const char *file_name,
                               uint64_t device, uint64_t inode, const char *log_entry) {
    watched_module *module = malloc(sizeof *module);
    if (!module) return;
    *module = (watched_module){
        .id = strdup(id),
        .path = strdup(path),
        .file_name = strdup(file_name),
        .log_entry = strdup(log_entry),
        .device = device,
        .inode = inode,
    };
    if (!module->id || !module->path || !module->file_name || !module->log_entry) return;
    module->next = atomic_load(&modules);
    while (!atomic_compare_exchange_weak(&modules, &module->next, module)) {}
}

void eaves_crash_report_to(int descriptor) {
    report_descriptor = descriptor;
    handle(eaves_crash_question, on_question, NULL);
    on_exit(on_end, NULL);
}

void eaves_crash_expect_exit(void) { atomic_store(&is_exit_expected, true); }

void eaves_crash_leave_nothing(void) {
    /* One byte instead of none: with a limit of 0, the system still runs a program that takes core
     * files through a pipe. */
    struct rlimit core = {1, 1};
    setrlimit(RLIMIT_CORE, &core);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}
