/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "first_run.h"
#include "crash_notes.h"
#include "crash_report.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What one thread runs for the first time. */
typedef struct slot {
    /* 0 if no thread has the slot. */
    _Atomic pid_t thread;
    /* Which of the thread's own runs it is: code that runs for the first time may load further modules. */
    atomic_uint depth;
    _Atomic(const watched_module *) module;
    atomic_int step;
    /* A timer instead of a thread: a launch starts none. Its signal comes only if a module takes so long, and
     * is one without another use. */
    timer_t timer;
    bool has_timer;
} slot;

enum { slot_count = 64 };

static slot slots[slot_count];

static int ending_code = 1;
static int patience;

static int timer_signal(void) { return SIGRTMAX - 5; }

static first_run run_in(const slot *slot) {
    return (first_run){
        .module = atomic_load(&slot->module),
        .step = atomic_load(&slot->step),
    };
}

first_run first_run_here(void) {
    pid_t thread = gettid();
    const slot *last = NULL;
    for (const slot *slot = slots; slot < slots + slot_count; ++slot) {
        if (atomic_load(&slot->thread) != thread) continue;
        if (!last || atomic_load(&slot->depth) > atomic_load(&last->depth)) last = slot;
    }
    return last ? run_in(last) : (first_run){0};
}

bool next_first_run(size_t *index, first_run *run) {
    while (*index < slot_count) {
        *run = run_in(&slots[(*index)++]);
        if (run->module) return true;
    }
    return false;
}

static void on_delay(int number, siginfo_t *info, void *context) {
    (void)number, (void)context;
    int error = errno;
    first_run run = run_in(info->si_value.sival_ptr);
    static atomic_flag is_telling = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&is_telling)) sched_yield();
    if (run.module) tell_delay(patience, run.module, run.step);
    atomic_flag_clear(&is_telling);
    errno = error;
}

void set_patience(int exit_code, int milliseconds) {
    ending_code = exit_code;
    patience = milliseconds;
    struct sigaction action = {.sa_sigaction = on_delay};
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigfillset(&action.sa_mask);
    sigaction(timer_signal(), &action, NULL);
}

int exit_code_of_first_run(void) { return ending_code; }

/* Starts the timer of a slot; stops it if the time is zero. */
static void set_timer(slot *slot, int milliseconds) {
    if (!slot->has_timer && milliseconds) {
        struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = timer_signal()};
        event.sigev_value.sival_ptr = slot;
        slot->has_timer = timer_create(CLOCK_MONOTONIC, &event, &slot->timer) == 0;
    }
    if (!slot->has_timer) return;
    struct itimerspec time = {
        .it_value = {milliseconds / 1000, milliseconds % 1000 * 1000000L}};
    timer_settime(slot->timer, 0, &time, NULL);
}

int eaves_crash_enter(const char *file, int step) {
    const watched_module *module = module_at(file);
    if (!module) return -1;
    pid_t thread = gettid();
    unsigned depth = 0;
    for (const slot *slot = slots; slot < slots + slot_count; ++slot) {
        if (atomic_load(&slot->thread) == thread) ++depth;
    }
    for (int index = 0; index < slot_count; ++index) {
        slot *slot = &slots[index];
        pid_t none = 0;
        if (!atomic_compare_exchange_strong(&slot->thread, &none, thread)) continue;
        atomic_store(&slot->depth, depth);
        atomic_store(&slot->step, step);
        atomic_store(&slot->module, module);
        /* A start may take its time. */
        if (step != eaves_run_start) set_timer(slot, patience);
        return index;
    }
    return -1;
}

static void forget(slot *slot) {
    set_timer(slot, 0);
    atomic_store(&slot->module, NULL);
    atomic_store(&slot->thread, 0);
}

/* A thread that was given up is in a constructor, and holds the lock of the dynamic linker. */
static atomic_bool is_linker_held;

void eaves_crash_leave(int number) {
    /* The caller may have given this thread up, and another one has the slot since. */
    if (number >= 0 && atomic_load(&slots[number].thread) == gettid()) forget(&slots[number]);
}

void eaves_crash_give_up(const char *file, bool registers) {
    if (!registers) atomic_store(&is_linker_held, true);
    const watched_module *module = module_at(file);
    if (!module) return;
    for (slot *slot = slots; slot < slots + slot_count; ++slot) {
        if (atomic_load(&slot->module) == module) forget(slot);
    }
}

void exit_past_linker(int status) {
    if (!atomic_load(&is_linker_held)) return;
    fflush(stdout);
    _exit(status);
}
