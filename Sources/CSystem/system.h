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

// From <link.h>, which brings an fd_set along that is not the one of Swift's Glibc module: in a fresh
// build the compiler refuses the two.
enum { LA_SER_LIBPATH = 0x02, LA_SER_RUNPATH = 0x04 };

#endif
