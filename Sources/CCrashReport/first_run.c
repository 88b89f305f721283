/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "first_run.h"
#include "crash_notes.h"
#include "crash_report.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const watched_module *_Atomic running;
static atomic_bool is_registering;
static _Atomic pid_t running_thread;

static int ending_code = 1;
static int patience;

/* A timer instead of a thread: a launch starts none. Its signal comes only if a module takes so long, and
 * is one that nobody uses. */
static timer_t timer;
static bool has_timer;

static int timer_signal(void) { return SIGRTMAX - 5; }

first_run current_first_run(void) {
    return (first_run){
        .module = atomic_load(&running),
        .registers = atomic_load(&is_registering),
        .is_on_this_thread = atomic_load(&running_thread) == gettid(),
    };
}

static void on_delay(int number, siginfo_t *info, void *context) {
    (void)number, (void)info, (void)context;
    int error = errno;
    first_run run = current_first_run();
    if (run.module) tell_delay(patience, run.module, run.registers);
    errno = error;
}

void set_patience(int exit_code, int milliseconds) {
    ending_code = exit_code;
    patience = milliseconds;
    struct sigaction action = {.sa_sigaction = on_delay};
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigfillset(&action.sa_mask);
    sigaction(timer_signal(), &action, NULL);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = timer_signal()};
    has_timer = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
}

int exit_code_of_first_run(void) { return ending_code; }

/* Starts the timer; stops it if the time is zero. */
static void set_timer(int milliseconds) {
    if (!has_timer) return;
    struct itimerspec time = {
        .it_value = {milliseconds / 1000, milliseconds % 1000 * 1000000L}};
    timer_settime(timer, 0, &time, NULL);
}

void eaves_crash_enter(const char *file, bool registers) {
    const watched_module *module = module_at(file);
    if (!module) return;
    atomic_store(&is_registering, registers);
    atomic_store(&running_thread, gettid());
    atomic_store(&running, module);
    set_timer(patience);
}

static void forget(void) {
    if (!atomic_load(&running)) return;
    set_timer(0);
    atomic_store(&running, NULL);
    atomic_store(&running_thread, 0);
}

/* A thread that was given up is in a constructor, and holds the lock of the dynamic linker. */
static atomic_bool is_linker_held;

void eaves_crash_leave(void) {
    /* The caller may have given this thread up, and another one runs a module since. */
    if (atomic_load(&running_thread) == gettid()) forget();
}

void eaves_crash_give_up(bool registers) {
    if (!registers) atomic_store(&is_linker_held, true);
    forget();
}

void exit_past_linker(int status) {
    if (!atomic_load(&is_linker_held)) return;
    fflush(stdout);
    _exit(status);
}
