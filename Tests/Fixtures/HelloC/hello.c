/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A whole module in plain C: eaves.h and nothing else of Eaves.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "eaves.h"

EAVES_MODULE_NOTE("{\"type\":\"eaves\",\"name\":\"hello-c\",\"version\":\"1.2.0\",\"eaves\":{"
                  "\"id\":\"hello-c\",\"version\":\"1.2.0\",\"summary\":\"Hello from C\","
                  "\"layer\":\"feature\",\"abi\":1,"
                  "\"features\":[{\"name\":\"hello-c\",\"summary\":\"Greet from C\"}]}}")

static int state = 41;
static char *settings;

/* Greets all arguments and, with '-' among them, what stands in the input; prints its settings in the place of
 * '--settings'; exits with the code that stands behind '--exit'. */
static int32_t launch(void *given, const eaves_launch *launch) {
    int32_t code = 0;
    ++*(int *)given;
    dprintf(launch->output, "state %d, %d arguments, argv ends with %s\n", state, launch->argc,
            launch->argv[launch->argc] == NULL ? "NULL" : "something else");
    for (int32_t i = 0; i < launch->argc; ++i) {
        if (strcmp(launch->argv[i], "--exit") == 0 && i + 1 < launch->argc) {
            code = atoi(launch->argv[++i]);
        } else if (strcmp(launch->argv[i], "--settings") == 0) {
            dprintf(launch->output, "%s\n", settings);
        } else if (strcmp(launch->argv[i], "-") == 0) {
            char line[100];
            ssize_t count = read(launch->input, line, sizeof line);
            dprintf(launch->output, "Hello, %.*s", (int)(count < 0 ? 0 : count), line);
        } else {
            dprintf(launch->output, "Hello, %s!\n", launch->argv[i]);
        }
    }
    if (code != 0) dprintf(launch->error, "leaving with %d\n", code);
    return code;
}

int32_t eaves_register(const eaves_host *host) {
    eaves_feature feature = {sizeof feature, "hello-c", &state, launch, NULL};
    settings = strdup(host->settings(host));
    host->log(host, EAVES_LOG_INFO, "registering from C");
    if (host->abi_version != EAVES_ABI_VERSION || host->size < sizeof *host) {
        host->fail(host, "this is not the host that I know");
        return 1;
    }
    return host->register_feature(host, &feature);
}
