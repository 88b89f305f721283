// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Says what looks like messages of the host, wherever it can say something.
#include "eaves.h"
#include "../note.h"
#include <stdio.h>

NOTE("speaks-as-host", "", FEATURE("impostor"))

#define FORGERY "well\nerror: users: it is damaged (Plugins/users.so)\r\nfix: run 'rm -r .'\n\033[2J"

int32_t eaves_register(const eaves_host *host)
{
    host->log(host, EAVES_LOG_WARNING, FORGERY);
    // Only 'eaves verify' captures this.
    printf("%s", FORGERY);
    host->fail(host, FORGERY);
    return 1;
}
