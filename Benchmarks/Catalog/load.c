/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Loads modules by hand and in C: dlopen, dlsym, call.
 *
 *     load-by-hand FILE…
 *
 * Prints the nanoseconds that all of it took.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

#include "eaves.h"

static eaves_feature features[4096];
static int count;

static int32_t keep(const eaves_host *host, const eaves_feature *feature) {
    (void)host;
    features[count++] = *feature;
    return 0;
}

static void ignore_failure(const eaves_host *host, const char *message) {
    (void)host;
    (void)message;
}

static void ignore_message(const eaves_host *host, int32_t level, const char *message) {
    (void)host;
    (void)level;
    (void)message;
}

int main(int argc, char **argv) {
    struct timespec start, end;
    const eaves_host host = {EAVES_ABI_VERSION, sizeof host, (void *)&host, keep,
                             ignore_failure, ignore_message};
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 1; i < argc && i <= 4096; i++) {
        void *handle = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        eaves_entry entry = handle ? (eaves_entry)dlsym(handle, EAVES_ENTRY) : 0;
        if (!entry || entry(&host) != 0) {
            fprintf(stderr, "%s: %s\n", argv[i], dlerror());
            return 1;
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%lld\n", (end.tv_sec - start.tv_sec) * 1000000000LL + end.tv_nsec - start.tv_nsec);
    return count == argc - 1 ? 0 : 1;
}
