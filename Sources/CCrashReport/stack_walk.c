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

/* The thread that is inside the unwinder, and the place to jump to if the unwinder crashes. */
static _Atomic pid_t unwinding;
static sigjmp_buf way_out;

typedef struct walk {
    const memory_map *map;
    /** The first address to collect. */
    uint64_t counter;
    walk_frame *frames;
    size_t count;
    bool has_begun;
} walk;

static _Unwind_Reason_Code take(struct _Unwind_Context *context, void *argument) {
    walk *walk = argument;
    uint64_t address = _Unwind_GetIP(context);
    /* The frames before it are those of the handler itself. */
    walk->has_begun |= address == walk->counter;
    if (!walk->has_begun) return _URC_NO_REASON;
    const code_range *range = range_of(walk->map, address);
    if (!range || walk->count == max_frames) return _URC_END_OF_STACK;
    walk->frames[walk->count++] = (walk_frame){address, range};
    return _URC_NO_REASON;
}

/* The two registers that lead through the stack: program counter and stack pointer. */
typedef struct place {
    uint64_t counter, top;
} place;

#if defined(__x86_64__)
static place place_of(const mcontext_t *machine) {
    return (place){machine->gregs[REG_RIP], machine->gregs[REG_RSP]};
}

static void set_place(mcontext_t *machine, place place) {
    machine->gregs[REG_RIP] = place.counter;
    machine->gregs[REG_RSP] = place.top;
}

/* The caller of a function that has not begun: the call has pushed the return address. */
static place caller_of(const mcontext_t *machine) {
    uint64_t top = machine->gregs[REG_RSP];
    return (place){*(const volatile greg_t *)(uintptr_t)top, top + sizeof(greg_t)};
}
#elif defined(__aarch64__)
static place place_of(const mcontext_t *machine) { return (place){machine->pc, machine->sp}; }

static void set_place(mcontext_t *machine, place place) {
    machine->pc = place.counter;
    machine->sp = place.top;
}

/* The caller of a function that has not begun: the link register has the return address. */
static place caller_of(const mcontext_t *machine) {
    return (place){machine->regs[30], machine->sp};
}
#else
#error "which registers lead through the stack?"
#endif

/* Collects the frames. A damaged stack may lead to unmapped memory; the walk then ends there, and
 * the frames so far count.
 *
 * - machine: the registers of the interrupted function, where the unwinder finds them; NULL if the
 *   walk does not start in a signal handler. */
static void unwind(walk *walk, mcontext_t *machine) {
    sigset_t faults, before;
    sigemptyset(&faults);
    sigaddset(&faults, SIGSEGV);
    sigaddset(&faults, SIGBUS);
    if (sigsetjmp(way_out, 1) == 0) {
        atomic_store(&unwinding, gettid());
        sigprocmask(SIG_UNBLOCK, &faults, &before);
        if (machine && !range_of(walk->map, walk->counter)) {
            /* The program called an address without code. */
            set_place(machine, caller_of(machine));
            walk->counter = place_of(machine).counter;
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
    place before = place_of(machine);
    walk walk = {.map = map, .counter = before.counter, .frames = frames};
    unwind(&walk, machine);
    set_place(machine, before);
    return walk.count;
}

bool is_in_code(const memory_map *map, const mcontext_t *machine) {
    return range_of(map, place_of(machine).counter) != NULL;
}

void leave_walk(void) {
    if (atomic_load(&unwinding) == gettid()) siglongjmp(way_out, 1);
}
