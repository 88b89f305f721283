/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "stack_walk.h"

#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>
#include <unwind.h>

/* The thread that is in the unwinder, and its way out of it. */
static _Atomic pid_t unwinding;
static sigjmp_buf way_out;

typedef struct walk {
    const memory_map *map;
    /** The first address to take. */
    uint64_t counter;
    walk_frame *frames;
    size_t count;
    bool has_begun;
} walk;

static _Unwind_Reason_Code take(struct _Unwind_Context *context, void *argument) {
    walk *walk = argument;
    uint64_t address = _Unwind_GetIP(context);
    /* Before that come the frames of the handler itself. */
    walk->has_begun |= address == walk->counter;
    if (!walk->has_begun) return _URC_NO_REASON;
    const code_range *range = range_of(walk->map, address);
    if (!range || walk->count == max_frames) return _URC_END_OF_STACK;
    walk->frames[walk->count++] = (walk_frame){address, range};
    return _URC_NO_REASON;
}

#if defined(__x86_64__)
static uint64_t counter_of(const mcontext_t *machine) { return machine->gregs[REG_RIP]; }

static void return_to_caller(mcontext_t *machine) {
    uint64_t top = machine->gregs[REG_RSP];
    machine->gregs[REG_RIP] = *(const volatile greg_t *)(uintptr_t)top;
    machine->gregs[REG_RSP] = top + sizeof(greg_t);
}

static void restore(mcontext_t *machine, uint64_t counter, uint64_t top) {
    machine->gregs[REG_RIP] = counter;
    machine->gregs[REG_RSP] = top;
}

static uint64_t top_of(const mcontext_t *machine) { return machine->gregs[REG_RSP]; }
#elif defined(__aarch64__)
static uint64_t counter_of(const mcontext_t *machine) { return machine->pc; }

static void return_to_caller(mcontext_t *machine) { machine->pc = machine->regs[30]; }

static void restore(mcontext_t *machine, uint64_t counter, uint64_t top) {
    machine->pc = counter;
    machine->sp = top;
}

static uint64_t top_of(const mcontext_t *machine) { return machine->sp; }
#else
#error "which registers lead through the stack?"
#endif

/* Whoever wrote over the stack may lead to where no memory is: what was found until then counts.
 *
 *  - machine: what the unwinder takes the interrupted function from; NULL if none was. */
static void unwind(walk *walk, mcontext_t *machine) {
    sigset_t faults, before;
    sigemptyset(&faults);
    sigaddset(&faults, SIGSEGV);
    sigaddset(&faults, SIGBUS);
    if (sigsetjmp(way_out, 1) == 0) {
        atomic_store(&unwinding, gettid());
        sigprocmask(SIG_UNBLOCK, &faults, &before);
        if (machine && !range_of(walk->map, walk->counter)) {
            return_to_caller(machine);
            walk->counter = counter_of(machine);
        }
        _Unwind_Backtrace(take, walk);
        sigprocmask(SIG_SETMASK, &before, NULL);
    }
    atomic_store(&unwinding, 0);
}

size_t walk_stack(const memory_map *map, uint64_t counter, walk_frame frames[max_frames]) {
    walk walk = {.map = map, .counter = counter, .frames = frames};
    unwind(&walk, NULL);
    return walk.count;
}

size_t walk_interrupted(const memory_map *map, mcontext_t *machine,
                        walk_frame frames[max_frames]) {
    uint64_t counter = counter_of(machine), top = top_of(machine);
    walk walk = {.map = map, .counter = counter, .frames = frames};
    unwind(&walk, machine);
    restore(machine, counter, top);
    return walk.count;
}

void leave_walk(void) {
    if (atomic_load(&unwinding) == gettid()) siglongjmp(way_out, 1);
}
