/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "crash_notes.h"
#include "crash_report.h"
#include "first_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The folder that the store is in, held open from before the first module is loaded; -1 if it could not be opened. */
static int log_project = -1;
static bool is_logging;
/* When the process began to log, in seconds of the system's running. */
static time_t log_begun;
static dev_t project_device;
static ino_t project_inode;
static const char *log_store, *log_folder, *log_file;

/* A text that is built without the C library's formatting, which may allocate. */
typedef struct text {
    size_t length;
    char bytes[32 * 1024];
} text;

static void add(text *text, const char *more) {
    size_t length = strlen(more), room = sizeof text->bytes - text->length;
    if (length > room) length = room;
    memcpy(text->bytes + text->length, more, length);
    text->length += length;
}

static void add_number(text *text, uint64_t number, unsigned base) {
    char digits[24];
    char *start = digits + sizeof digits - 1;
    *start = 0;
    do *--start = "0123456789abcdef"[number % base];
    while (number /= base);
    add(text, start);
}

static void write_text(int descriptor, const text *text) {
    size_t written = 0;
    while (written < text->length) {
        ssize_t count = write(descriptor, text->bytes + written, text->length - written);
        if (count >= 0) written += count;
        else if (errno != EINTR) return;
    }
}

static const char *signal_name(int number) {
    switch (number) {
    case SIGSEGV: return "SIGSEGV";
    case SIGBUS: return "SIGBUS";
    case SIGILL: return "SIGILL";
    case SIGTRAP: return "SIGTRAP";
    case SIGABRT: return "SIGABRT";
    case SIGFPE: return "SIGFPE";
    default: return "a signal";
    }
}

/* Opens a folder in an open folder. If the folder is missing and the outer one is ours, it is created. Returns
 * -1 unless the folder is ours and only we can write it. */
static int enter(int outer, const char *name) {
    struct stat status;
    if (fstat(outer, &status) != 0) return -1;
    if (status.st_uid == geteuid()) mkdirat(outer, name, 0700);
    int folder = openat(outer, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return -1;
    if (fstat(folder, &status) == 0 && status.st_uid == geteuid() && !(status.st_mode & 022)) {
        return folder;
    }
    close(folder);
    return -1;
}

/* Locks a log, so that no other process takes it over before the line is in it. A stopped process may keep the lock, so
 * the wait has an end. */
static void lock_log(int file) {
    static const struct timespec step = {.tv_nsec = 10 * 1000 * 1000};
    for (int round = 0; round < 100 && flock(file, LOCK_EX | LOCK_NB) != 0; ++round) {
        nanosleep(&step, NULL);
    }
}

/* Opens the log of a folder for appending, without following links, and locks it; -1 if others could have written it.
 * A log that another process has renamed meanwhile, to count its lines, is the log no longer. */
static int open_log_in(int folder) {
    int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    for (int round = 0; round < 100; ++round) {
        struct stat status, named;
        int file = openat(folder, log_file, flags, 0600);
        if (file < 0) return -1;
        bool is_ours = fstat(file, &status) == 0 && S_ISREG(status.st_mode)
            && status.st_uid == geteuid() && !(status.st_mode & 022) && status.st_nlink <= 1;
        if (is_ours) lock_log(file);
        if (is_ours && fstatat(folder, log_file, &named, AT_SYMLINK_NOFOLLOW) == 0
            && named.st_ino == status.st_ino && named.st_dev == status.st_dev) return file;
        close(file);
        if (!is_ours) return -1;
    }
    return -1;
}

/* Opens the folder of the log; -1 if others could have written it. */
static int open_log_folder(void) {
    struct stat status;
    /* A module may have closed the descriptor, and opened another file in its place. */
    if (fstat(log_project, &status) != 0 || status.st_dev != project_device
        || status.st_ino != project_inode) return -1;
    int store = enter(log_project, log_store);
    if (store < 0) return -1;
    int folder = enter(store, log_folder);
    close(store);
    return folder;
}

/* Opens and locks the log; -1 if others could have written it. */
static int open_log(void) {
    int folder = open_log_folder();
    if (folder < 0) return -1;
    int file = open_log_in(folder);
    close(folder);
    return file;
}

/* The name of the file with all that is known of a crash. A crash that no module is blamed for leaves no line in the
 * log, by which later processes would find its file: there is one such file, of the last crash. */
static void add_report_name(text *name, pid_t process) {
    add(name, "crash-");
    if (process) add_number(name, process, 10);
    else add(name, "host");
    add(name, ".txt");
}

/* The text so far, with a zero behind it. */
static const char *ended(text *text) {
    if (text->length == sizeof text->bytes) --text->length;
    text->bytes[text->length] = 0;
    return text->bytes;
}

int open_whole_report(pid_t process) {
    int folder = has_log() ? open_log_folder() : -1;
    if (folder < 0) return -1;
    static text name;
    name.length = 0;
    add_report_name(&name, process);
    const char *path = ended(&name);
    /* An earlier process may have had the number. */
    unlinkat(folder, path, 0);
    int file = openat(folder, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    close(folder);
    return file;
}

/* A feature that was launched. Never freed, because a handler may look at it at any time. */
typedef struct launched_feature {
    const struct launched_feature *next;
    const char *name, *json;
} launched_feature;

static const launched_feature *features;
static const launched_feature *_Atomic feature;

void set_feature(const char *name, const char *json) {
    if (!name) {
        atomic_store(&feature, NULL);
        return;
    }
    const launched_feature *known = features;
    while (known && strcmp(known->name, name) != 0) known = known->next;
    if (!known) {
        launched_feature *made = malloc(sizeof *made);
        if (!made) return;
        *made = (launched_feature){.next = features, .name = strdup(name), .json = strdup(json)};
        if (!made->name || !made->json) return;
        known = features = made;
    }
    atomic_store(&feature, known);
}

static time_t seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec;
}

/* Appends a line to the log: the module's beginning, then what was going on, and how the process ended. */
static void append_log(const char *cause, int number, pid_t process,
                       const watched_module *module) {
    static text line;
    line.length = 0;
    add(&line, module->log_entry);
    uint64_t generation = atomic_load(&module->generation);
    if (generation) {
        add(&line, ",\"generation\":");
        add_number(&line, generation, 10);
    }
    const launched_feature *launched = atomic_load(&feature);
    if (launched) {
        add(&line, ",\"feature\":");
        add(&line, launched->json);
    }
    add(&line, ",\"");
    add(&line, cause);
    add(&line, number < 0 ? "\":-" : "\":");
    add_number(&line, number < 0 ? -number : number, 10);
    add(&line, ",\"process\":");
    add_number(&line, process, 10);
    add(&line, ",\"time\":");
    add_number(&line, seconds(CLOCK_REALTIME), 10);
    add(&line, ",\"uptime\":");
    add_number(&line, seconds(CLOCK_BOOTTIME) - log_begun, 10);
    add(&line, "}\n");
    int file = open_log();
    if (file < 0) return;
    write_text(file, &line);
    close(file);
}

/* Begins a message about a module, or about none: `error: users: `, with `generation 7 ` behind it if it has a number. */
static void begin(text *message, const char *label, const watched_module *module) {
    message->length = 0;
    add(message, label);
    add(message, ": ");
    if (!module) return;
    add(message, module->id);
    add(message, ": ");
    uint64_t generation = atomic_load(&module->generation);
    if (!generation) return;
    add(message, "generation ");
    add_number(message, generation, 10);
    add(message, " ");
}

/* Adds the feature that was being launched, if one was. */
static void add_feature(text *message) {
    const launched_feature *launched = atomic_load(&feature);
    if (!launched) return;
    add(message, " in the launch of '");
    add(message, launched->name);
    add(message, "'");
}

/* Adds the module's path, and how to fix what is wrong, and writes the message. */
static void finish(text *message, const watched_module *module, const char *fix) {
    if (module) {
        add(message, " (");
        add(message, module->path);
        add(message, ")");
    }
    add(message, *fix ? "\nfix: " : "");
    add(message, fix);
    if (module) {
        add(message, "'eaves verify ");
        add(message, module->id);
        add(message, "'");
    }
    add(message, "\n");
    write_text(STDERR_FILENO, message);
}

bool has_log(void) { return is_logging; }

void log_signal(int number, pid_t process, pid_t sender, const watched_module *module, bool counts,
                int whole_report) {
    if (!has_log()) return;
    if (counts) append_log("signal", number, process, module);
    static text message, fix;
    begin(&message, "error", module);
    add(&message, sender < 0 ? "crashed with " : "ended by ");
    add(&message, signal_name(number));
    if (sender > 0) {
        add(&message, " of process ");
        add_number(&message, sender, 10);
    }
    add_feature(&message);
    if (!module && sender < 0) add(&message, ", in code of no module");
    fix.length = 0;
    if (module || whole_report >= 0) add(&fix, "see where ");
    if (whole_report >= 0) {
        add(&fix, "in '");
        add(&fix, log_store);
        add(&fix, "/");
        add(&fix, log_folder);
        add(&fix, "/");
        add_report_name(&fix, module ? process : 0);
        add(&fix, module ? "', or " : "'");
    }
    if (module) add(&fix, "with ");
    finish(&message, module, ended(&fix));
    if (whole_report >= 0) write_text(whole_report, &message);
}

void log_exit(int status, pid_t process, const watched_module *module, int step) {
    static const char *const doing[] = {" while it was loaded", " while it registered", " while it started"};
    append_log("exit", status, process, module);
    static text message;
    begin(&message, "error", module);
    add(&message, "ended the process with ");
    if (status < 0) {
        add(&message, "quick_exit");
    } else {
        add(&message, "exit code ");
        add_number(&message, status, 10);
    }
    add(&message, doing[step]);
    add_feature(&message);
    finish(&message, module, "report an error instead: a module must not end the host; see where with ");
}

void tell_delay(int milliseconds, const watched_module *module, int step) {
    static text message;
    begin(&message, "warning", module);
    add(&message, step == eaves_run_register ? "has been registering for " : "has been loading for ");
    bool is_whole = milliseconds % 1000 == 0;
    add_number(&message, is_whole ? milliseconds / 1000 : milliseconds, 10);
    add(&message, is_whole ? " s, and goes on" : " ms, and goes on");
    finish(&message, module, "wait, or end the program and see where it hangs with ");
}

static const char *token = "";

void set_token(const char *word) {
    const char *copy = strdup(word);
    if (copy) token = copy;
}

void write_report(int descriptor, const char *what, int number, const watched_module *blamed,
                  const walk_frame *frames, size_t count) {
    static text line;
    line.length = 0;
    /* Earlier output of the process may have ended in the middle of a line. */
    add(&line, "\n");
    add(&line, what);
    if (number >= 0) {
        add(&line, " ");
        add_number(&line, number, 10);
    }
    add(&line, "\n");
    if (blamed) {
        add(&line, "blame ");
        add(&line, blamed->id);
        add(&line, "\n");
    }
    write_text(descriptor, &line);
    for (size_t index = 0; index < count; ++index) {
        const walk_frame *frame = &frames[index];
        const code_range *range = frame->range;
        /* The address that a call returns to may already belong to the next function. */
        uint64_t address = frame->address - (index == 0 ? 0 : 1);
        line.length = 0;
        add(&line, "frame ");
        add_number(&line, address - range->start + range->offset, 16);
        add(&line, " ");
        add(&line, range->module ? range->module->id : range->is_program ? "." : "-");
        add(&line, " ");
        add(&line, range->path);
        add(&line, "\n");
        write_text(descriptor, &line);
    }
    line.length = 0;
    add(&line, *token ? "end " : "end");
    add(&line, token);
    add(&line, "\n");
    write_text(descriptor, &line);
}

void eaves_crash_log_into(int project, const char *store, const char *folder, const char *file,
                          int exit_code, int patience) {
    struct stat status;
    log_store = strdup(store);
    log_folder = strdup(folder);
    log_file = strdup(file);
    set_patience(exit_code, patience);
    is_logging = true;
    log_begun = seconds(CLOCK_BOOTTIME);
    if (!log_store || !log_folder || !log_file || fstat(project, &status) != 0) return;
    project_device = status.st_dev;
    project_inode = status.st_ino;
    log_project = project;
}
