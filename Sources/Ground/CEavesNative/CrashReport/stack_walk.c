/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "stack_walk.h"

#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/uio.h>
#include <unistd.h>
#include <unwind.h>

/* The thread that is inside the unwinder, and the place to jump to if the unwinder crashes. */
static _Atomic pid_t unwinding;
static sigjmp_buf way_out;

/* From this frame on, those of libraries are left out. */
enum { plain_frames = max_frames - 8 };

/* The number that the unwinder's tables give the frame pointer. */
#ifdef __x86_64__
enum { frame_register = 6 };
#else
enum { frame_register = 29 };
#endif

typedef struct walk {
    const memory_map *map;
    /** The first address to collect. */
    uint64_t counter;
    walk_frame *frames;
    size_t count, steps;
    bool has_begun;
    /** Whether more frames would be of no use. */
    bool is_over;
    /** The frame pointer of the last call. */
    uint64_t frame;
} walk;

static bool add_frame(walk *walk, uint64_t address) {
    const code_range *range = range_of(walk->map, address);
    walk->is_over = !range || walk->count == max_frames || ++walk->steps > 1000000 /* a circle */;
    if (walk->is_over) return false;
    /* The calls of a library can be without number, and the module that has called it is behind them. */
    if (walk->count >= plain_frames && !range->module && !range->is_program) return true;
    walk->frames[walk->count++] = (walk_frame){address, range};
    return true;
}

static _Unwind_Reason_Code take(struct _Unwind_Context *context, void *argument) {
    walk *walk = argument;
    uint64_t address = _Unwind_GetIP(context);
    /* The frames before it are those of the handler itself. */
    walk->has_begun |= address == walk->counter;
    if (!walk->has_begun) return _URC_NO_REASON;
    walk->frame = _Unwind_GetGR(context, frame_register);
    return add_frame(walk, address) ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* Reads memory that need not be there. */
static bool read_memory(uint64_t address, void *into, size_t size) {
    struct iovec local = {into, size}, remote = {(void *)(uintptr_t)address, size};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/* Goes on by the chain of frame pointers: the unwinder's tables lack functions that Swift's compiler makes by itself, such
 * as those that find the metadata of a generic type. */
static void follow_frames(walk *walk) {
    uint64_t frame = walk->frame, next[2];
    while (!walk->is_over && read_memory(frame, next, sizeof next) && add_frame(walk, next[1])) {
        walk->is_over = next[0] <= frame;
        frame = next[0];
    }
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
        follow_frames(walk);
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

/* The module whose type has this table of the functions that implement a protocol of an interface; NULL if it is
 * no such table.
 *
 * Such a table begins with a pointer to the record of the conformance, which is in the memory of the module. The
 * record begins with a way to the protocol, whose lowest bit is set, because the protocol is in another file; a
 * flag says that the table was made for the protocol as it is at present. (Swift ABI: TargetWitnessTable,
 * TargetProtocolConformanceDescriptor.) */
static const watched_module *owner_of_table(const memory_map *map, uint64_t table) {
    enum { is_indirect = 1, has_resilient_witnesses = 1 << 16 };
    uint64_t record, protocol;
    struct { int32_t protocol, type, pattern; uint32_t flags; } fields;
    if (!read_memory(table, &record, sizeof record)) return NULL;
    const watched_module *module = module_around(map, record);
    if (!module || module->is_interface || !read_memory(record, &fields, sizeof fields)) return NULL;
    if (!(fields.protocol & is_indirect) || !(fields.flags & has_resilient_witnesses)) return NULL;
    uint64_t place = record + (int64_t)(fields.protocol & ~is_indirect);
    if (!read_memory(place, &protocol, sizeof protocol)) return NULL;
    const watched_module *interface = module_around(map, protocol);
    return interface && interface->is_interface ? module : NULL;
}

const watched_module *module_without_function(const memory_map *map, const mcontext_t *machine) {
#if defined(__x86_64__)
    static const int registers[] = {REG_RDI, REG_RSI, REG_RDX, REG_RCX, REG_R8,  REG_R9,  REG_RAX,
                                    REG_RBX, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    for (size_t index = 0; index < sizeof registers / sizeof registers[0]; ++index) {
        const watched_module *module = owner_of_table(map, machine->gregs[registers[index]]);
        if (module) return module;
    }
#else
    for (size_t index = 0; index < 29; ++index) {
        const watched_module *module = owner_of_table(map, machine->regs[index]);
        if (module) return module;
    }
#endif
    return NULL;
}

bool is_at_stack(const mcontext_t *machine, const void *address) {
    /* As far as a function may reach before the system notices: compilers touch the pages of larger frames in turn. */
    enum { reach = 64 * 1024 };
    return (uint64_t)(uintptr_t)address - (place_of(machine).top - reach) < 2 * reach;
}

bool is_in_code(const memory_map *map, const mcontext_t *machine) {
    return range_of(map, place_of(machine).counter) != NULL;
}

void leave_walk(void) {
    if (atomic_load(&unwinding) == gettid()) siglongjmp(way_out, 1);
}
