/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lets all other threads of a process rest. A thread that has taken a signal from the system finishes what its handler
 * does before it rests; if the process ended or ran itself again in between, the signal would be lost.
 */
#define _GNU_SOURCE
#include "waiter.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* No more threads than these are asked, and nobody waits longer for them: one may hang in the system. */
enum { MOST_THREADS = 4096, MOST_ROUNDS = 1000 };

static atomic_bool is_quiet;
static atomic_int resting;
static pid_t asked[MOST_THREADS];
static int asked_count;

static void pause_briefly(void) {
    const struct timespec millisecond = {0, 1000000};
    nanosleep(&millisecond, NULL);
}

static void rest(int number) {
    (void)number;
    int reason = errno;
    atomic_fetch_add(&resting, 1);
    while (atomic_load(&is_quiet)) pause_briefly();
    atomic_fetch_sub(&resting, 1);
    errno = reason;
}

/* Whether a thread of this process would not rest now. Threads that work for queues take no signals at all. */
static bool blocks(const char *thread, int number) {
    char path[64] = "/proc/self/task/", text[2048];
    strncat(path, thread, 20);
    strncat(path, "/status", 8);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return true;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    text[count < 0 ? 0 : count] = 0;
    const char *line = strstr(text, "SigBlk:");
    return !line || (strtoull(line + 7, NULL, 16) >> (number - 1) & 1);
}

/* Asks a thread to rest, unless it was asked before. */
static void ask(const char *name, int number) {
    pid_t thread = atoi(name);
    if (thread <= 0 || thread == (pid_t)syscall(SYS_gettid) || asked_count == MOST_THREADS) return;
    for (int index = 0; index < asked_count; ++index) {
        if (asked[index] == thread) return;
    }
    if (blocks(name, number)) return;
    if (syscall(SYS_tgkill, getpid(), thread, number) == 0) asked[asked_count++] = thread;
}

/* Asks all threads that were not asked before. Allocates nothing: a thread that rests may hold the allocator's lock. */
static void ask_all(int number) {
    struct entry {
        uint64_t inode;
        int64_t next;
        unsigned short size;
        unsigned char kind;
        char name[];
    };
    _Alignas(struct entry) char buffer[4096];
    int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    long count;
    while ((count = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0) {
        for (long place = 0; place < count;) {
            const struct entry *entry = (const void *)(buffer + place);
            ask(entry->name, number);
            place += entry->size;
        }
    }
    close(folder);
}

/* How many of the threads that were asked have not ended. */
static int living(void) {
    int count = 0;
    for (int index = 0; index < asked_count; ++index) {
        count += syscall(SYS_tgkill, getpid(), asked[index], 0) == 0;
    }
    return count;
}

void eaves_quieten(void) {
    int number = SIGRTMAX;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = rest;
    action.sa_flags = SA_RESTART;
    sigfillset(&action.sa_mask);
    sigaction(number, &action, NULL);
    asked_count = 0;
    atomic_store(&is_quiet, true);
    for (int round = 0; round < MOST_ROUNDS; ++round) {
        int before = asked_count;
        ask_all(number);
        if (asked_count > before) continue;
        if (atomic_load(&resting) >= living()) return;
        pause_briefly();
    }
}

void eaves_waken(void) {
    atomic_store(&is_quiet, false);
    for (int round = 0; round < MOST_ROUNDS && atomic_load(&resting) > 0; ++round) pause_briefly();
}
