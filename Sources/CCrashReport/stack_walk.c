/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "stack_walk.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* How much of a stack is searched when nothing says where to stop. */
enum { search_limit = 64 * 1024 };

/* Swift marks the frames of async functions with this bit of the pointer to them. */
static const uint64_t async_mark = UINT64_C(1) << 60;

static uint64_t word(uint64_t address) {
    return *(const volatile uint64_t *)(uintptr_t)address;
}

static bool is_on_stack(const memory_map *map, uint64_t address, uint64_t size) {
    return address % 8 == 0 && address >= map->stack_start && address < map->stack_end &&
           size <= map->stack_end - address;
}

/* Whose code ends a search: it is what we are looking for. */
static bool is_sought(const code_range *range) {
    return range && (range->module || range->is_program);
}

/* All Swift code keeps frame pointers, the runtime as well. */
static bool keeps_frames(const code_range *range) {
    return is_sought(range) || (range && strstr(range->path, "/libswift"));
}

static bool is_same_file(const code_range *one, const code_range *other) {
    return strcmp(one->path, other->path) == 0;
}

#if defined(__x86_64__)
static int32_t displacement(const volatile uint8_t *bytes) {
    return (int32_t)(bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24);
}

/* Reads what may not be there: the system says so instead of sending a signal. */
static uint64_t careful_word(uint64_t address) {
    uint64_t value = 0;
    struct iovec here = {&value, sizeof value}, there = {(void *)(uintptr_t)address, sizeof value};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == sizeof value ? value : 0;
}

/* Where the call leads that returns to an address: directly, by way of a stub that jumps to where a
 * table says, or to where a table says. 0 if nothing there is such a call. */
static uint64_t call_target(const memory_map *map, uint64_t address, const code_range *caller) {
    if (address < caller->start + 8) return 0;
    const volatile uint8_t *next = (const volatile uint8_t *)(uintptr_t)address;
    if (next[-6] == 0xff && next[-5] == 0x15) {
        return careful_word(address + displacement(next - 4));
    }
    if (next[-5] != 0xe8) return 0;
    uint64_t target = address + displacement(next - 4);
    const code_range *range = range_of(map, target);
    if (!range || range->end - target < 16) return target;
    const volatile uint8_t *stub = (const volatile uint8_t *)(uintptr_t)target;
    if (stub[0] == 0xf3 && stub[1] == 0x0f && stub[2] == 0x1e && stub[3] == 0xfa) stub += 4;
    if (stub[0] == 0xf2) stub += 1;
    if (stub[0] != 0xff || stub[1] != 0x25) return target;
    return careful_word((uint64_t)(uintptr_t)(stub + 6) + displacement(stub + 2));
}
#endif

/* Whether the instruction before an address calls something of a file. Without that, what is left
 * from calls that have ended would be taken for calls. */
static bool calls_into(const memory_map *map, uint64_t address, const code_range *caller,
                       const code_range *callee) {
#if defined(__x86_64__)
    const code_range *target = range_of(map, call_target(map, address, caller));
    return target && is_same_file(target, callee);
#elif defined(__aarch64__)
    (void)map;
    (void)callee;
    if (address < caller->start + 4) return false;
    uint32_t before = *(const volatile uint32_t *)(uintptr_t)(address - 4);
    return before >> 26 == 0x25 || (before & 0xfffffc1f) == 0xd63f0000;
#else
#error "what does a call look like?"
#endif
}

/* Searches the stack for who called the code of a file, and who called that, until it is somebody
 * that we are looking for, or whose frame the chain leads to.
 *
 *  - is_strict: only Swift code and modules count. Other libraries leave much behind on the stack. */
static size_t search(const memory_map *map, walk_start start, const code_range *callee,
                     bool is_strict, walk_frame *frames, size_t room) {
    size_t count = 0;
    uint64_t end = start.top + search_limit;
    for (uint64_t at = (start.top + 7) & ~UINT64_C(7); count < room && at < end; at += 8) {
        if (!is_on_stack(map, at, 8)) break;
        uint64_t address = word(at);
        const code_range *range = range_of(map, address);
        if (!range || is_same_file(range, callee)) continue;
        if (is_strict && !keeps_frames(range)) continue;
        if (!calls_into(map, address, range, callee)) continue;
        frames[count++] = (walk_frame){address, range, true};
        bool has_chain = is_on_stack(map, start.frame, 16) && start.frame > at;
        if (is_sought(range) || (keeps_frames(range) && has_chain)) break;
        callee = range;
    }
    return count;
}

size_t walk_stack(const memory_map *map, walk_start start, walk_frame frames[max_frames]) {
    size_t count = 0;
    const code_range *range = range_of(map, start.counter);
    if (range) {
        frames[count++] = (walk_frame){start.counter, range, false};
    } else {
        /* A call to where no code is: the caller has just said where to return to. */
        uint64_t caller = start.link;
        if (!caller && is_on_stack(map, start.top, 8)) caller = word(start.top);
        range = range_of(map, caller);
        if (range) frames[count++] = (walk_frame){caller, range, false};
    }
    uint64_t frame = start.frame = start.frame & ~async_mark;
    if (range && !keeps_frames(range)) {
        size_t found = search(map, start, range, true, frames + count, 8);
        if (!found) found = search(map, start, range, false, frames + count, 8);
        count += found;
    }
    while (count < max_frames && is_on_stack(map, frame, 16)) {
        uint64_t address = word(frame + 8), next = word(frame) & ~async_mark;
        range = range_of(map, address);
        if (!range) break;
        /* The search may have met the first one already. */
        if (count > 0 && frames[count - 1].address == address) --count;
        frames[count++] = (walk_frame){address, range, false};
        if (next <= frame) break;
        frame = next;
    }
    return count;
}
