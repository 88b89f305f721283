// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// What we need of the C library and Swift's Glibc module leaves out.

#ifndef EAVES_SYSTEM_H
#define EAVES_SYSTEM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <getopt.h>
#include <sys/mman.h>

/* Serves the main queue, and so the main actor. Swift's own module for it brings along a library
 * that every start of the command would load. */
void dispatch_main(void) __attribute__((noreturn));

#endif
