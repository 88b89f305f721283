/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * read_sections.h: reading what others replace, without a lock and without reference counts.
 *
 * Userspace RCU in miniature, with epochs. A thread that reads enters a section, which is a plain
 * store of the current epoch into a record of its own, and leaves it again. A writer unpublishes
 * something, advances the epoch, and frees what it unpublished once no thread is left in a section
 * that began in an earlier epoch. Writers never wait for readers: what cannot be freed yet is left
 * for the next time. So a section may last as long as it likes, and may run anybody's code.
 *
 * Entering and leaving are a few loads and stores of a record's fields, in
 * ThreadContext+Section.swift: calls into C are not inlined there.
 *
 * The price of ordering a reader's store before its loads is the writer's: membarrier(2) makes all
 * threads of the process do it. Where the kernel has no membarrier, readers execute a fence.
 */
#ifndef EAVES_READ_SECTIONS_H
#define EAVES_READ_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

/** A thread that reads, in cache lines of its own. Never freed: when its thread has ended, the next
 *  thread takes it over. */
typedef struct eaves_reader {
    /** What the thread is building, outermost first: registrations, which are alive as long as the
     *  thread is in a section. This and what follows up to `making` is the thread's alone. It comes
     *  first: the thread sanitizer takes each access to the record for one to its beginning. */
    const void *_Nonnull *_Nonnull building;
    uint32_t depth;
    uint32_t capacity;
    /** A bit for each that the thread is building, of six of its hash's: who finds its own bit unset
     *  is not among them. */
    uint64_t building_bits;
    /** What the resolution has made in the graph scope. */
    void *_Nullable graph;
    /** What factories are given while something is made that others wait for. */
    void *_Nullable making;
    /** Objects that need each other, as long as not all of them are complete. */
    void *_Nullable circle;
    /** Why injected properties could not be had. */
    void *_Nullable uninjected;
    /** What another thread makes that waits, at the end, for this one. */
    void *_Nullable crossing;
    /** The epoch in which the thread's outermost section began, which is odd while something is being
     *  resolved, and one more while something is only lent; 0 outside of any. Atomic. */
    uint64_t epoch;
    /** The epoch of now, for all threads: odd. Atomic, to be loaded with acquire ordering. */
    const uint64_t *_Nonnull now;
    /** Whether a fence has to stand between storing epoch and reading anything. */
    bool needs_fence;
    /** The next of all records. Constant once it is linked. */
    struct eaves_reader *_Nullable next;
    /** Whether a thread has it. Atomic. */
    bool is_taken;
} eaves_reader;

/** The calling thread's record: its own until it ends. */
eaves_reader *_Nonnull eaves_reader_current(void);

/** Makes room for one more of what the thread is building. */
void eaves_reader_grow(eaves_reader *_Nonnull reader) __attribute__((visibility("hidden")));

/** Begins a new epoch, after something was unpublished.
 *
 *  @return The epoch to compare with eaves_oldest_section before freeing it. */
uint64_t eaves_epoch_advance(void);

/** The epoch of the oldest section that is open on any thread; UINT64_MAX if none is, and 0 if that
 *  cannot be known. What was unpublished in an epoch up to this one is out of every reader's reach.
 *
 *  The first call can take milliseconds: the kernel prepares the process for membarrier. */
uint64_t eaves_oldest_section(void);

#endif
