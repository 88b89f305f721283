/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "crash_notes.h"
#include "crash_report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *log_outer, *log_inner, *log_file;

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

static void append_log(int number, pid_t process, const watched_module *module) {
    static text line;
    line.length = 0;
    add(&line, module->log_entry);
    add(&line, ",\"signal\":");
    add_number(&line, number, 10);
    add(&line, ",\"process\":");
    add_number(&line, process, 10);
    add(&line, ",\"time\":");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    add_number(&line, now.tv_sec, 10);
    add(&line, "}\n");
    mkdir(log_outer, 0700);
    mkdir(log_inner, 0700);
    int file = open(log_file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return;
    write_text(file, &line);
    close(file);
}

static void tell(int number, const watched_module *module) {
    static text message;
    message.length = 0;
    add(&message, "error: ");
    add(&message, module->id);
    add(&message, ": crashed with ");
    add(&message, signal_name(number));
    add(&message, " (");
    add(&message, module->path);
    add(&message, ")\nfix: see where with 'eaves verify ");
    add(&message, module->id);
    add(&message, "'\n");
    write_text(STDERR_FILENO, &message);
}

void write_log(int number, pid_t process, const watched_module *module) {
    if (!log_file) return;
    append_log(number, process, module);
    tell(number, module);
}

void write_report(int descriptor, const char *what, int number, const walk_frame *frames,
                  size_t count) {
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
    add(&line, "end\n");
    write_text(descriptor, &line);
}

void eaves_crash_log_into(const char *outer, const char *inner, const char *file) {
    log_outer = strdup(outer);
    log_inner = strdup(inner);
    log_file = log_outer && log_inner ? strdup(file) : NULL;
}
