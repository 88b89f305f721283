/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "descendants.h"
#include "calls.h"

/* Adds the children of one thread of a process. */
static void add_children(const char *tasks, const char *thread, void *context) {
    descendants *found = context;
    char path[512];
    add_text(add_text(add_text(path, tasks), thread), "/children");
    if (!read_text(path, found->text, sizeof found->text)) return;
    const char *rest = found->text;
    for (long child; found->count < most_descendants && (child = next_number(&rest));) {
        found->processes[found->count++] = (pid_t)child;
    }
}

void find_descendants(descendants *found) {
    char path[128];
    found->count = 0;
    for_each_entry("/proc/self/task/", &found->entries, add_children, found);
    for (unsigned index = 0; index < found->count; ++index) {
        add_text(add_number(add_text(path, "/proc/"), found->processes[index]), "/task/");
        for_each_entry(path, &found->entries, add_children, found);
    }
}

void signal_descendants(descendants *found, int number) {
    find_descendants(found);
    for (unsigned index = 0; index < found->count; ++index) call_kill(found->processes[index], number);
}

void kill_descendants(descendants *found) {
    signal_descendants(found, SIGSTOP);
    signal_descendants(found, SIGKILL);
}
