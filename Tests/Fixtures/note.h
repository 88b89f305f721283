/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The notes of the fixtures in C, which differ in what they declare and in little else.
 */
#ifndef NOTE_H
#define NOTE_H

#include "eaves.h"

/** The note of a module for this host's ABI that provides `services` and offers `features`. */
#define NOTE(id, services, features) NOTE_FOR(id, services, features, "\"abi\":1")

/** The same, built for another host. */
#define NOTE_FOR(id, services, features, tag)                                                     \
    EAVES_MODULE_NOTE("{\"type\":\"eaves\",\"name\":\"" id "\",\"version\":\"1.0.0\","              \
                      "\"eaves\":{\"id\":\"" id "\",\"version\":\"1.0.0\",\"summary\":\"A fixture\"," \
                      "\"layer\":\"feature\",\"provides\":[" services "],"                          \
                      "\"features\":[" features "]," tag "}}")

/** One element of `features`. */
#define FEATURE(name) "{\"name\":\"" name "\",\"summary\":\"A feature of a fixture\"}"

#endif
