/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "descendants.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
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

/* Adds the children of one thread of a process. */
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

/* The entries of a folder in /proc, for whoever reads them. */
struct entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

/* Calls a function with the name of each entry that is not hidden. */
static void for_each(const char *path, void (*body)(const char *path, const char *name, descendants *found),
                     descendants *found) {
    static _Alignas(struct entry) char buffer[16 * 1024];
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    long filled;
    while ((filled = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0) {
        for (long at = 0; at < filled;) {
            const struct entry *entry = (const struct entry *)(buffer + at);
            if (entry->name[0] != '.') body(path, entry->name, found);
            at += entry->length;
        }
    }
    close(folder);
}

/* The files that were counted in this round, by their hashes. */
static struct {
    dev_t device;
    ino_t inode;
} counted[1 << 14];
enum { counted_places = sizeof counted / sizeof *counted };
static unsigned counted_count;

/* Whether a file was counted before: several processes may have it open. Of too many files, some count twice. */
static bool was_counted(const struct stat *file) {
    uint64_t place = (file->st_ino ^ file->st_dev << 40) * 0x9e3779b97f4a7c15u >> 50;
    for (; counted[place].inode; place = (place + 1) % counted_places) {
        if (counted[place].inode == file->st_ino && counted[place].device == file->st_dev) return true;
    }
    if (counted_count == counted_places / 2) return false;
    counted[place].device = file->st_dev;
    counted[place].inode = file->st_ino;
    ++counted_count;
    return false;
}

static void forget_counted(void) {
    if (counted_count) memset(counted, 0, sizeof counted);
    counted_count = 0;
}

/* Adds the size of an open file that is in memory and has no name, as memfd_create makes it: none of it belongs to a
 * process, and it is gone with the processes. */
static void add_file(const char *folder, const char *name, descendants *found) {
    char path[128];
    struct stat file;
    struct statfs system;
    strcpy(path, folder);
    strcat(path, name);
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode) || file.st_nlink || !file.st_blocks) return;
    if (statfs(path, &system) != 0) return;
    if (system.f_type != TMPFS_MAGIC && system.f_type != HUGETLBFS_MAGIC) return;
    if (!was_counted(&file)) found->memory += (uint64_t)file.st_blocks * 512;
}

void find_descendants(descendants *found) {
    char path[128], text[256];
    found->count = 0;
    found->memory = 0;
    for_each("/proc/self/task/", add_children, found);
    for (unsigned index = 0; index < found->count; ++index) {
        join(path, "/proc/", found->processes[index], "/task/");
        for_each(path, add_children, found);
        join(path, "/proc/", found->processes[index], "/statm");
        if (!read_text(path, text, sizeof text)) continue;
        const char *rest = text;
        next_number(&rest);
        found->memory += (uint64_t)next_number(&rest) * (uint64_t)sysconf(_SC_PAGESIZE);
    }
}

void signal_descendants(descendants *found, int number) {
    find_descendants(found);
    for (unsigned index = 0; index < found->count; ++index) kill(found->processes[index], number);
}

void kill_descendants(descendants *found) {
    signal_descendants(found, SIGSTOP);
    signal_descendants(found, SIGKILL);
}

void add_memory_files(descendants *found) {
    char path[128];
    forget_counted();
    for (unsigned index = 0; index < found->count; ++index) {
        join(path, "/proc/", found->processes[index], "/fd/");
        for_each(path, add_file, found);
    }
}
