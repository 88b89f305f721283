/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "proc.h"
#include "calls.h"

char *add_text(char *end, const char *text) {
    while (*text) *end++ = *text++;
    *end = 0;
    return end;
}

char *add_number(char *end, long number) {
    char digits[24];
    char *start = digits + sizeof digits - 1;
    *start = 0;
    do *--start = '0' + number % 10;
    while (number /= 10);
    return add_text(end, start);
}

bool read_text(const char *path, char *text, size_t size) {
    int file = call_open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    size_t filled = 0;
    ssize_t count;
    while (filled < size - 1 && (count = call_read(file, text + filled, size - 1 - filled)) > 0) {
        filled += count;
    }
    call_close(file);
    text[filled] = 0;
    return true;
}

long next_number(const char **text) {
    while (**text == ' ') ++*text;
    long number = 0;
    for (; **text >= '0' && **text <= '9'; ++*text) number = number * 10 + (**text - '0');
    return number;
}

/* An entry of a folder as the kernel gives it. */
struct entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

void for_each_entry(const char *path, proc_entries *entries,
                    void (*body)(const char *path, const char *name, void *context), void *context) {
    int folder = call_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    long filled;
    while ((filled = call_read_folder(folder, entries->bytes, sizeof entries->bytes)) > 0) {
        for (long at = 0; at < filled;) {
            const struct entry *entry = (const struct entry *)(entries->bytes + at);
            if (entry->name[0] != '.') body(path, entry->name, context);
            at += entry->length;
        }
    }
    call_close(folder);
}
