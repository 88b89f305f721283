/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "crash_report.h"
#include "crash_notes.h"
#include "first_run.h"
#include "stack_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* A signal that threads of the Swift runtime do not block. */
const int eaves_crash_question = SIGPROF;

enum { crash_count = 6 };
static const int crash_signals[crash_count] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE};
static struct sigaction former[crash_count];
/* Whether the environment leaves open where Swift's own backtrace goes. */
static bool is_backtrace_free;

static watched_module *_Atomic modules;
static int report_descriptor = -1;
static atomic_bool is_exit_expected;
static pid_t process;

/* The thread that has crashed, and its signal. Both stay: the signal is going to end the process. */
static _Atomic pid_t crashed_thread;
static atomic_int crash_signal;

/* Taken by the thread that writes a report. It is not released after a crash, so that no other report follows. */
static atomic_flag is_reporting = ATOMIC_FLAG_INIT;
static memory_map map;
static walk_frame frames[max_frames];

watched_module *newest_module(void) { return modules; }

/* Returns the module to blame: that of the innermost code. A crash in the host's own code is not
 * the fault of the module that called it.
 *
 * The code of an interface works for the module that calls it, which is to blame. The interface itself is only
 * returned where no module has called it.
 *
 * While a module is loaded, the dynamic linker works on what its file says; so the module is to blame, too,
 * if the linker or another library was running that the host had called for it. The same holds if a module
 * has damaged the stack while it was loaded or registered, or if the host has called an entry point that has
 * no code.
 *
 * - is_in_code: whether the thread has not called an address without code. */
static const watched_module *blamed(size_t count, bool is_in_code) {
    first_run run = first_run_here();
    const watched_module *interface = NULL;
    for (size_t index = 0; index < count; ++index) {
        const watched_module *module = frames[index].range->module;
        if (module && !module->is_interface) return module;
        if (module && !interface) interface = module;
        if (frames[index].range->is_program) {
            if (interface) return interface;
            return (index > 0 && run.step == eaves_run_load) || !is_in_code ? run.module : NULL;
        }
    }
    return interface ? interface : run.module;
}

/* Returns the module whose code is the innermost of a module: the one that a thread is in. An interface is only
 * returned where no other module is on the stack. */
static const watched_module *innermost_module(size_t count) {
    const watched_module *interface = NULL;
    for (size_t index = 0; index < count; ++index) {
        const watched_module *module = frames[index].range->module;
        if (module && !module->is_interface) return module;
        if (!interface) interface = module;
    }
    return interface;
}

/* Returns the module to blame for a crash. A call that leads nowhere because a module lacks a requirement of an
 * interface is the fault of that module, and not of the one that calls. A stack that is used up ends in any code that
 * the module has called, also in that of the host. */
static const watched_module *blamed_for_crash(size_t count, const siginfo_t *info, const mcontext_t *machine) {
    if (info->si_signo == SIGSEGV && is_at_stack(machine, info->si_addr)) return innermost_module(count);
    bool is_code = is_in_code(&map, machine);
    const watched_module *lacking = is_code ? NULL : module_without_function(&map, machine);
    return lacking ? lacking : blamed(count, is_code);
}

/* Whether a crash counts against the module that is blamed. One of an interface does only while the interface is
 * loaded: later it runs for others, and without it none of the modules that name it can be loaded. */
static bool counts(const watched_module *module) {
    return !module->is_interface || first_run_here().module == module;
}

static size_t walk(void *context) {
    read_memory_map(&map);
    return walk_interrupted(&map, &((ucontext_t *)context)->uc_mcontext, frames);
}

/* The place of a signal among those of crashes. */
static int index_of(int number) {
    int index = 0;
    while (crash_signals[index] != number) ++index;
    return index;
}

/* Whether the former handler is one of the Swift library. The map has been read. */
static bool is_of_swift(int index) {
    if (!(former[index].sa_flags & SA_SIGINFO)) return false;
    const code_range *range = range_of(&map, (uint64_t)(uintptr_t)former[index].sa_sigaction);
    const char *name = range ? strrchr(range->path, '/') : NULL;
    return name && strcmp(name, "/libswiftCore.so") == 0;
}

/* A fork that a signal handler may call; glibc has it since 2.34. */
__attribute__((weak)) extern pid_t _Fork(void);

/* Swift's own backtrace takes seconds, and those that wait for the end of this process would wait as long: its clients, and
 * the program that starts it again. So a copy of the process goes on to it, with nothing open but the file of the report, and
 * this one ends by the signal at once.
 *
 * - whole_report: where the backtrace is written. */
static void leave_backtrace_to_copy(int index, int whole_report) {
    pid_t copy = _Fork ? _Fork() : -1;
    if (copy > 0) former[index] = (struct sigaction){.sa_handler = SIG_DFL};
    if (copy != 0) return;
    static const struct rlimit no_core;
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(whole_report, STDOUT_FILENO);
    dup2(whole_report, STDERR_FILENO);
    close(STDIN_FILENO);
    open("/dev/null", O_RDONLY);
    syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
}

/* Writes what the stream of `print` and of the console keeps back, for as long as its reader takes something within a second.
 * Another thread may hold the stream, and does not get on with it any more. */
static void write_kept_output(void) {
    const char *rest = stdout->_IO_write_base;
    const char *end = stdout->_IO_write_ptr;
    stdout->_IO_write_ptr = stdout->_IO_write_base;
    struct pollfd output = {.fd = fileno(stdout), .events = POLLOUT};
    while (rest < end && poll(&output, 1, 1000) == 1) {
        /* A pipe that can be written to takes as much without waiting. */
        ssize_t count = write(output.fd, rest, end - rest < PIPE_BUF ? end - rest : PIPE_BUF);
        if (count <= 0) return;
        rest += count;
    }
}

/* Names the module to blame, or says that there is none, and leaves the backtrace to a copy of the process. */
static void report_crash(int index, siginfo_t *info, void *context) {
    int number = crash_signals[index];
    /* A mistake in this process, and no signal of another one. */
    bool is_own = info->si_code > 0 || info->si_pid == process;
    pid_t none = 0;
    /* Another thread may have crashed and report it; its signal is going to end the process. */
    if (is_own && atomic_compare_exchange_strong(&crashed_thread, &none, gettid())) {
        atomic_store(&crash_signal, number);
    }
    while (atomic_flag_test_and_set(&is_reporting)) {
        if (!is_own) return;
        pause();
    }
    const watched_module *module = NULL;
    if (is_own) {
        size_t count = walk(context);
        module = blamed_for_crash(count, info, &((ucontext_t *)context)->uc_mcontext);
        if (report_descriptor >= 0) {
            write_report(report_descriptor, "crash", number, module, frames, count);
        }
    } else {
        read_memory_map(&map);
    }
    /* The environment may say where the backtrace goes. */
    bool may_leave = is_backtrace_free && is_of_swift(index);
    int whole_report = may_leave ? open_whole_report(module ? process : 0) : -1;
    bool is_counted = module && counts(module);
    log_signal(number, process, is_own ? -1 : info->si_pid, module, is_counted, whole_report);
    if (whole_report >= 0) leave_backtrace_to_copy(index, whole_report);
    else if (!is_own) atomic_flag_clear(&is_reporting);
}

static void on_crash(int number, siginfo_t *info, void *context) {
    leave_walk();
    int error = errno;
    int index = index_of(number);
    /* A forked child is not watched. */
    if (getpid() == process) report_crash(index, info, context);
    /* The copy that writes the backtrace comes by here, too. */
    if (getpid() == process) write_kept_output();
    if (info->si_code <= 0 && is_of_swift(index)) {
        /* It would go back to code that no mistake has interrupted, and that would run on. It reads memory that need not be
         * there, and so has to get signals. */
        sigprocmask(SIG_SETMASK, &former[index].sa_mask, NULL);
        former[index].sa_sigaction(number, info, context);
        former[index] = (struct sigaction){.sa_handler = SIG_DFL};
    }
    sigaction(number, &former[index], NULL);
    /* Sends the signal again. It arrives when this handler returns, and the former handler gets it
     * with all its information. */
    syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), number, info);
    errno = error;
}

/* The identifier that this process uses for a thread of its own that /proc shows as this number. In a PID
 * namespace they differ: the last number behind NSpid is the one. */
static long own_identifier(long shown) {
    char path[64], text[4096];
    char digits[24];
    char *start = digits + sizeof digits - 1;
    *start = 0;
    for (long rest = shown; rest; rest /= 10) *--start = '0' + rest % 10;
    strcpy(path, "/proc/self/task/");
    strcat(path, start);
    strcat(path, "/status");
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return shown;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0) return shown;
    text[count] = 0;
    const char *line = strstr(text, "\nNSpid:");
    if (!line) return shown;
    long number = 0;
    for (line += strlen("\nNSpid:"); *line && *line != '\n'; ++line) {
        number = *line == '\t' ? 0 : number * 10 + (*line - '0');
    }
    return number;
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
            if (thread) syscall(SYS_tgkill, getpid(), own_identifier(thread), number);
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
        const watched_module *module = innermost_module(count);
        if (module) write_report(report_descriptor, "stuck", -1, module, frames, count);
        atomic_flag_clear(&is_reporting);
    }
    errno = error;
}

/* Waits while another thread crashes: its signal ends the process, and no exit may overtake it. The handler
 * that was there before may take its time. If the thread is gone, that handler has saved it. */
static void await_crash(void) {
    enum { steps = 6000 };
    static const struct timespec step = {.tv_nsec = 10 * 1000 * 1000};
    for (int index = 0; index < steps; ++index) {
        pid_t thread = atomic_load(&crashed_thread);
        if (!thread || thread == gettid()) return;
        if (syscall(SYS_tgkill, process, thread, 0) != 0) return;
        nanosleep(&step, NULL);
    }
    /* A minute is over. The exit code is the signal's all the same. */
    signal(atomic_load(&crash_signal), SIG_DFL);
    raise(atomic_load(&crash_signal));
}

/* Whether the calling thread is in the code of a module that another thread loads, or lets register: which one. */
static bool is_in_first_run(uint64_t caller, first_run *run) {
    size_t index = 0;
    if (!next_first_run(&index, run)) return false;
    while (atomic_flag_test_and_set(&is_reporting)) sched_yield();
    read_memory_map(&map);
    const watched_module *module = innermost_module(walk_stack(&map, caller, frames));
    atomic_flag_clear(&is_reporting);
    do {
        if (run->module == module) return true;
    } while (next_first_run(&index, run));
    return false;
}

/* Ends the process with a failure if a module has called exit while it was loaded or registered.
 *
 * Another thread than those that load may exit meanwhile, if it does not run the module's code. */
static void fail_first_run(int status, uint64_t caller) {
    if (!has_log()) return;
    first_run run = first_run_here();
    if (!run.module && !is_in_first_run(caller, &run)) return;
    log_exit(status, process, run.module, run.step);
    if (eaves_host_crashes) eaves_host_crashes();
    /* What the module has printed is not lost. */
    fflush(stdout);
    _exit(exit_code_of_first_run());
}

static void report_exit(int status, uint64_t caller) {
    if (report_descriptor < 0 || atomic_load(&is_exit_expected)) return;
    if (atomic_flag_test_and_set(&is_reporting)) return;
    read_memory_map(&map);
    size_t count = walk_stack(&map, caller, frames);
    write_report(report_descriptor, "exit", status, blamed(count, true), frames, count);
}

static void on_exit_call(int status, void *unused) {
    (void)unused;
    if (getpid() != process) return;
    uint64_t caller = (uint64_t)(uintptr_t)__builtin_return_address(0);
    await_crash();
    fail_first_run(status, caller);
    report_exit(status, caller);
    exit_past_linker(status);
}

static void on_quick_exit(void) {
    if (getpid() != process) return;
    await_crash();
    fail_first_run(-1, (uint64_t)(uintptr_t)__builtin_return_address(0));
    /* What was printed is not lost, as with exit. */
    fflush(stdout);
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *),
                   struct sigaction *before) {
    struct sigaction action = {.sa_sigaction = handler};
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigfillset(&action.sa_mask);
    sigaction(number, &action, before);
}

void eaves_crash_watch(void) {
    process = getpid();
    eaves_crash_use_stack();
    const char *settings = getenv("SWIFT_BACKTRACE");
    is_backtrace_free =
        !settings || !(strstr(settings, "interactive=") || strstr(settings, "output-to="));
    for (int index = 0; index < crash_count; ++index) {
        handle(crash_signals[index], on_crash, &former[index]);
    }
    on_exit(on_exit_call, NULL);
    at_quick_exit(on_quick_exit);
}

void eaves_crash_expect_module(const char *id, const char *path, const char *file_name,
                               const char *mapped_name, uint64_t device, uint64_t inode,
                               const char *log_entry, bool is_interface) {
    watched_module *module = malloc(sizeof *module);
    if (!module) return;
    *module = (watched_module){
        .id = strdup(id),
        .path = strdup(path),
        .file_name = strdup(file_name),
        .mapped_name = strdup(mapped_name),
        .log_entry = strdup(log_entry),
        .device = device,
        .inode = inode,
        .is_interface = is_interface,
    };
    atomic_init(&module->generation, 0);
    if (!module->id || !module->path || !module->file_name || !module->mapped_name
        || !module->log_entry) return;
    module->next = atomic_load(&modules);
    while (!atomic_compare_exchange_weak(&modules, &module->next, module)) {}
}

void eaves_crash_number_generation(const char *file, uint64_t number) {
    watched_module *module = module_at(file);
    if (module) atomic_store(&module->generation, number);
}

void eaves_crash_name_feature(const char *name, const char *json) { set_feature(name, json); }

void eaves_crash_report_to(int descriptor, const char *token) {
    set_token(token);
    report_descriptor = descriptor;
    handle(eaves_crash_question, on_question, NULL);
}

void eaves_crash_expect_exit(void) { atomic_store(&is_exit_expected, true); }

void eaves_crash_leave_nothing(void) {
    /* One byte instead of none: with a limit of 0, the system still runs a program that takes core
     * files through a pipe. */
    struct rlimit core = {1, 1};
    setrlimit(RLIMIT_CORE, &core);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}
