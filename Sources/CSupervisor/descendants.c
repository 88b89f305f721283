/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "descendants.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Joins texts and a number, without the C library's formatting. */
static void join(char *path, const char *folder, long number, const char *rest) {
    char digits[24];
    char *start = digits + sizeof digits - 1;
    *start = 0;
    do *--start = '0' + number % 10;
    while (number /= 10);
    strcpy(path, folder);
    strcat(path, start);
    strcat(path, rest);
}

/* Reads a short file as text. Returns false if it cannot. */
static bool read_text(const char *path, char *text, size_t size) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    size_t filled = 0;
    ssize_t count;
    while (filled < size - 1 && (count = read(file, text + filled, size - 1 - filled)) > 0) {
        filled += count;
    }
    close(file);
    text[filled] = 0;
    return true;
}

/* Reads a number, and moves the text behind it. Returns 0 if there is none. */
static long next_number(const char **text) {
    while (**text == ' ') ++*text;
    long number = 0;
    for (; **text >= '0' && **text <= '9'; ++*text) number = number * 10 + (**text - '0');
    return number;
}

/* Adds the children of one thread. */
static void add_children(const char *tasks, const char *thread, descendants *found) {
    static char text[64 * 1024], path[512];
    strcpy(path, tasks);
    strcat(path, thread);
    strcat(path, "/children");
    if (!read_text(path, text, sizeof text)) return;
    const char *rest = text;
    for (long child; found->count < most_descendants && (child = next_number(&rest));) {
        found->processes[found->count++] = (pid_t)child;
    }
}

/* Adds the children of all threads of a process. */
static void add_process(const char *tasks, descendants *found) {
    struct entry {
        uint64_t inode;
        int64_t offset;
        unsigned short length;
        unsigned char type;
        char name[];
    };
    static _Alignas(struct entry) char buffer[16 * 1024];
    int folder = open(tasks, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    long filled;
    while ((filled = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0) {
        for (long at = 0; at < filled;) {
            const struct entry *entry = (const struct entry *)(buffer + at);
            if (entry->name[0] != '.') add_children(tasks, entry->name, found);
            at += entry->length;
        }
    }
    close(folder);
}

void find_descendants(descendants *found) {
    char path[128], text[256];
    found->count = 0;
    found->memory = 0;
    add_process("/proc/self/task/", found);
    for (unsigned index = 0; index < found->count; ++index) {
        join(path, "/proc/", found->processes[index], "/task/");
        add_process(path, found);
        join(path, "/proc/", found->processes[index], "/statm");
        if (!read_text(path, text, sizeof text)) continue;
        const char *rest = text;
        next_number(&rest);
        found->memory += (uint64_t)next_number(&rest) * (uint64_t)sysconf(_SC_PAGESIZE);
    }
}
