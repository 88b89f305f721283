/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * read_sections.h: lets threads read data that other threads replace, without a lock and without
 * reference counts.
 *
 * This is userspace RCU in miniature, with epochs. A thread that reads enters a section by storing the
 * current epoch in a record of its own, and clears the record when it leaves. A writer unpublishes an
 * object, advances the epoch, and frees the object once no thread is in a section that began in an earlier
 * epoch. Writers never wait for readers, so a section may last as long as it likes, and may run any code. What
 * cannot be freed yet is left to the readers that are in its way: the last of them to leave its section frees it.
 *
 * Entering and leaving takes a few loads and stores of a record's fields. The registry does them in Swift,
 * which inlines no function of C but the one whose body stands in this file.
 *
 * A reader's store has to become visible before its loads. Writers pay for this order: membarrier(2) makes
 * all threads of the process keep it. On a kernel without membarrier, readers execute a fence.
 */
#ifndef EAVES_READ_SECTIONS_H
#define EAVES_READ_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

/** The table of a container in which a resolution finds everything that it finds in that container. */
typedef struct eaves_pin {
    /** NULL in a pin that is not set. */
    const void *_Nullable container;
    const void *_Nullable table;
} eaves_pin;

/** The record of a thread that reads, in cache lines of its own. Never freed: when its thread has
 *  ended, another thread takes it over. */
typedef struct eaves_reader {
    /** The registrations whose instances the thread is creating, outermost first. They are alive
     *  as long as the thread is in a section. Only the thread itself uses this and the fields up
     *  to `number`. There is room for `capacity` of them, and of pins. They come first, because the
     *  thread sanitizer takes each access to the record for one to its beginning. */
    const void *_Nonnull *_Nonnull building;
    uint32_t depth;
    uint32_t capacity;
    /** One bit for each of these registrations, chosen by six bits of its hash. A registration
     *  whose bit is unset is not among them. */
    uint64_t building_bits;
    /** The instances that the resolution has created in the graph scope. */
    void *_Nullable graph;
    /** The resolver that factories get while others wait for the instance that they create. */
    void *_Nullable making;
    /** Instances that need each other, as long as some of them are incomplete. */
    void *_Nullable circle;
    /** What has to be looked at when the thread's factories return; NULL if there is nothing. */
    void *_Nullable notes;
    /** The number of factories that ran when `asker` was set. */
    uint32_t asker_depth;
    /** The module in whose name the thread asks, for code that is no factory. NULL if there is none. */
    const void *_Nullable asker;
    /** The tables that the resolution uses. The first pin is that of the container with which it began. */
    eaves_pin *_Nonnull pins;
    uint32_t pin_count;
    /** The number of the record. Two that threads take at the same time may have the same. Constant. */
    uint32_t number;
    /** The epoch in which the thread's outermost section began: odd while it resolves, and one
     *  more while it only lends an instance. 0 outside of sections. Atomic. */
    uint64_t epoch;
    /** A bit for each thing to do after a section was left (`eaves_duty`), so that leaving a section
     *  needs to look at one number only. It follows `epoch`, by which loans find it. Atomic. */
    uint64_t duties;
    /** The epoch in which the outermost of the thread's calls began that are under way; 0 if there are none. Atomic. */
    uint64_t call;
    /** The registrations that these calls have, outermost first, and NULL behind them. Atomic; their number is the thread's. */
    const void *_Nullable called[8];
    uint32_t called_count;
    /** The current epoch of all threads, always odd. Atomic; load it with acquire ordering. */
    const uint64_t *_Nonnull now;
    /** The next record in the list of all records. Constant once it is set. */
    struct eaves_reader *_Nullable next;
    /** Whether some pins are of the tables with which a call began that the resolution is a part of. */
    bool is_of_call;
    /** Whether the resolution uses the tables of this moment, whatever it is a part of. Only the thread itself uses both. */
    bool is_fresh;
    /** Whether a thread uses the record. Atomic. */
    bool is_taken;
} eaves_reader;

/** The bits of a reader's `duties`. */
enum {
    /** The resolution has a graph, which has to be ended. Only the thread itself sets this. */
    EAVES_DUTY_GRAPH = 1,
    /** Objects wait for the end of the section to be freed. Other threads set this. */
    EAVES_DUTY_CLEAN = 2,
    /** The thread has to execute a fence after it has stored an epoch. Constant. */
    EAVES_DUTY_FENCE = 4,
    /** `is_of_call` has to be cleared. Only the thread itself sets this. */
    EAVES_DUTY_CALL = 8,
    /** Objects wait for the end of the thread's call to be freed. Other threads set this. */
    EAVES_DUTY_CLEAN_CALL = 16,
};

/** The calling thread's record; NULL until it was asked for. */
extern _Thread_local eaves_reader *_Nullable eaves_reader_of_thread
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

/** Gives the calling thread a record. */
eaves_reader *_Nonnull eaves_reader_attach(void) __attribute__((visibility("hidden")));

/** Returns the calling thread's record, which belongs to it until it ends. */
static inline eaves_reader *_Nonnull eaves_reader_current(void) {
    eaves_reader *_Nullable reader = eaves_reader_of_thread;
    return __builtin_expect(reader != 0, 1) ? (eaves_reader *_Nonnull)reader : eaves_reader_attach();
}

/** Makes room in `building` and `pins`. */
void eaves_reader_grow(eaves_reader *_Nonnull reader) __attribute__((visibility("hidden")));

/** Begins a new epoch, and returns it, to compare with `eaves_oldest` before an object that was unpublished is freed. */
uint64_t eaves_epoch_advance(void);

/** The epochs of the oldest section, and of the oldest call, that are under way on any thread; UINT64_MAX where there is
 *  none, and 0 if that is unknown. */
typedef struct eaves_oldest { uint64_t section, call; } eaves_oldest;

/** Returns the oldest epochs, without calls that began before `first`. No reader can reach objects that were unpublished in
 *  an epoch up to them. The first call can take milliseconds: the kernel prepares the process for membarrier. */
eaves_oldest eaves_oldest_since(uint64_t first);

/** Sets the duty to clean for all threads in a section or a call that began before an epoch.
 *
 *  A thread that leaves meanwhile may not notice. So the caller has to call eaves_oldest_since once more afterwards:
 *  either the thread notices, or the caller sees that it has left. */
void eaves_ask_to_clean(uint64_t epoch);

/** Whether a thread's call has a registration, to be asked when no section is left in which a call could get it. */
bool eaves_is_called(const void *_Nonnull registration);

/** Whether the calling thread is the first one of the process. */
bool eaves_is_main_thread(void);

#endif
