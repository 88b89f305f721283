/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "read_sections.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

_Thread_local eaves_reader *eaves_reader_of_thread;

/* An even number of cache lines, since processors also fetch the neighbour of a line. */
enum { own_lines = 256 };
_Static_assert(sizeof(eaves_reader) <= own_lines, "a record fits into its cache lines");
_Static_assert(
    offsetof(eaves_reader, duties) == offsetof(eaves_reader, epoch) + sizeof(uint64_t)
        && offsetof(eaves_reader, call) == offsetof(eaves_reader, duties) + sizeof(uint64_t)
        && offsetof(eaves_reader, called) == offsetof(eaves_reader, call) + sizeof(uint64_t),
    "loans find the duties behind the epoch, and calls find theirs behind them");

/* Always odd. */
static uint64_t epoch = 1;
static bool readers_fence;
static eaves_reader *readers;
static pthread_key_t end_of_thread;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

static long membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }

/* Releases the record of a thread that ends: none of its code can be in a section any more. */
static void detach(void *argument) {
    eaves_reader *reader = argument;
    eaves_reader_of_thread = NULL;
    reader->depth = 0;
    reader->building_bits = 0;
    reader->making = NULL;
    reader->asker = NULL;
    reader->pin_count = 0;
    reader->pins->container = NULL;
    reader->called_count = 0;
    __atomic_store_n(&reader->call, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&reader->epoch, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&reader->is_taken, false, __ATOMIC_RELEASE);
}

/* Decides whether readers need a fence, before the first of them enters a section. Asking the kernel is cheap. Registering
 * for membarrier is not, so it waits until the first object is to be freed. */
static void prepare(void) {
    long commands = membarrier(MEMBARRIER_CMD_QUERY);
    readers_fence = commands < 0 || !(commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED);
    if (pthread_key_create(&end_of_thread, detach) != 0) abort();
}

static eaves_reader *take(void) {
    eaves_reader *reader = __atomic_load_n(&readers, __ATOMIC_ACQUIRE);
    for (; reader; reader = reader->next)
        if (!__atomic_exchange_n(&reader->is_taken, true, __ATOMIC_ACQ_REL)) return reader;
    reader = aligned_alloc(own_lines, own_lines);
    if (!reader) abort();
    memset(reader, 0, own_lines);
    reader->now = &epoch;
    reader->duties = readers_fence ? EAVES_DUTY_FENCE : 0;
    eaves_reader_grow(reader);
    reader->pins->container = NULL;
    reader->is_taken = true;
    reader->next = __atomic_load_n(&readers, __ATOMIC_ACQUIRE);
    reader->number = reader->next ? reader->next->number + 1 : 0;
    while (!__atomic_compare_exchange_n(
        &readers, &reader->next, reader, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
    return reader;
}

eaves_reader *eaves_reader_attach(void) {
    pthread_once(&prepared, prepare);
    eaves_reader *reader = take();
    /* If this fails, the record is never released. It stays idle, which does no harm. */
    (void)pthread_setspecific(end_of_thread, reader);
    eaves_reader_of_thread = reader;
    return reader;
}

void eaves_reader_grow(eaves_reader *reader) {
    reader->capacity = reader->capacity ? reader->capacity * 2 : 16;
    reader->building = realloc(reader->building, reader->capacity * sizeof *reader->building);
    reader->pins = realloc(reader->pins, reader->capacity * sizeof *reader->pins);
    if (!reader->building || !reader->pins) abort();
}

uint64_t eaves_epoch_advance(void) { return __atomic_add_fetch(&epoch, 2, __ATOMIC_SEQ_CST); }

eaves_oldest eaves_oldest_since(uint64_t first) {
    pthread_once(&prepared, prepare);
    /* If the kernel has offered membarrier and now refuses it, nothing is known of the readers, because they use no fence.
     * It refuses the first time, before the process is registered. */
    if (readers_fence) __atomic_thread_fence(__ATOMIC_SEQ_CST);
    else if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0
        && (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) != 0
            || membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0)) return (eaves_oldest){0, 0};
    eaves_oldest oldest = {UINT64_MAX, UINT64_MAX};
    for (eaves_reader *reader = __atomic_load_n(&readers, __ATOMIC_SEQ_CST); reader;
         reader = reader->next) {
        uint64_t section = __atomic_load_n(&reader->epoch, __ATOMIC_ACQUIRE);
        uint64_t call = __atomic_load_n(&reader->call, __ATOMIC_ACQUIRE);
        if (section != 0 && section < oldest.section) oldest.section = section;
        if (call != 0 && call >= first && call < oldest.call) oldest.call = call;
    }
    return oldest;
}

void eaves_ask_to_clean(uint64_t epoch) {
    for (eaves_reader *reader = __atomic_load_n(&readers, __ATOMIC_SEQ_CST); reader;
         reader = reader->next) {
        /* Where there is no section, or no call, the number before 0 is the greatest. */
        uint64_t section = __atomic_load_n(&reader->epoch, __ATOMIC_ACQUIRE) - 1;
        uint64_t call = __atomic_load_n(&reader->call, __ATOMIC_ACQUIRE) - 1;
        uint64_t duties = (section < epoch - 1 ? EAVES_DUTY_CLEAN : 0)
            | (call < epoch - 1 ? EAVES_DUTY_CLEAN_CALL : 0);
        if (duties) __atomic_or_fetch(&reader->duties, duties, __ATOMIC_SEQ_CST);
    }
}

bool eaves_is_called(const void *registration) {
    for (eaves_reader *reader = __atomic_load_n(&readers, __ATOMIC_SEQ_CST); reader; reader = reader->next)
        for (size_t place = 0; place < sizeof reader->called / sizeof *reader->called; place++)
            if (__atomic_load_n(&reader->called[place], __ATOMIC_ACQUIRE) == registration) return true;
    return false;
}

bool eaves_is_main_thread(void) { return getpid() == syscall(SYS_gettid); }
