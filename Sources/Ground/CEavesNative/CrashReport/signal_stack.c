/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "crash_report.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { stack_size = 64 * 1024 };

typedef void *thread_body(void *);

static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static pthread_key_t end_of_thread;
static int (*create)(pthread_t *, const pthread_attr_t *, thread_body *, void *);

static void drop_stack(void *memory) {
    static const stack_t none = {.ss_flags = SS_DISABLE};
    stack_t used;
    if (sigaltstack(NULL, &used) == 0 && used.ss_sp == memory) sigaltstack(&none, NULL);
    munmap(memory, stack_size);
}

static void prepare(void) {
    if (pthread_key_create(&end_of_thread, drop_stack) != 0) abort();
    create = dlsym(RTLD_NEXT, "pthread_create");
}

/* A constructor of a module may start a thread while it holds the lock of the dynamic linker. */
__attribute__((constructor)) static void prepare_early(void) { pthread_once(&prepared, prepare); }

void eaves_crash_use_stack(void) {
    pthread_once(&prepared, prepare);
    stack_t used;
    /* Swift's own backtrace may have installed one. */
    if (sigaltstack(NULL, &used) != 0 || !(used.ss_flags & SS_DISABLE)) return;
    int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
    stack_t stack = {.ss_size = stack_size};
    stack.ss_sp = mmap(NULL, stack_size, PROT_READ | PROT_WRITE, kind, -1, 0);
    if (stack.ss_sp == MAP_FAILED) return;
    /* If this fails, the memory is never released. */
    (void)pthread_setspecific(end_of_thread, stack.ss_sp);
    sigaltstack(&stack, NULL);
}

#ifndef __has_feature /* as in gcc */
#define __has_feature(name) 0
#endif

/* The sanitizers have a pthread_create of their own in the program. */
#if !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer)

typedef struct thread_start {
    thread_body *body;
    void *argument;
} thread_start;

static void *begin(void *memory) {
    thread_start start = *(thread_start *)memory;
    free(memory);
    eaves_crash_use_stack();
    return start.body(start.argument);
}

__attribute__((visibility("default"))) int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, thread_body *body, void *argument) {
    pthread_once(&prepared, prepare);
    thread_start *start = malloc(sizeof *start);
    if (!start) return EAGAIN;
    *start = (thread_start){body, argument};
    int code = create(thread, attributes, begin, start);
    if (code != 0) free(start);
    return code;
}

#endif
