/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One module, of which Benchmarks/catalog makes a thousand: it puts a number in place of every
 * '0000' of the built file.
 */
#include "eaves.h"

#ifdef PROVIDES
/* Is listed and never loaded, since C cannot provide what it says here. */
#define PROVISIONS "{\"service\":\"Service0000\"}"
#else
#define PROVISIONS ""
#endif

EAVES_MODULE_NOTE("{\"type\":\"eaves\",\"name\":\"module-0000\",\"version\":\"1.2.3\","
                  "\"architecture\":\"" ARCHITECTURE "\",\"eaves\":{"
                  "\"id\":\"module-0000\",\"version\":\"1.2.3\","
                  "\"summary\":\"One of very many modules\",\"layer\":\"feature\","
                  "\"provides\":[" PROVISIONS "],\"requires\":[\"Routing\"],"
                  "\"features\":[{\"name\":\"feature-0000\",\"summary\":\"Do next to nothing\"}],"
                  "\"abi\":1,\"target\":\"" ARCHITECTURE "-unknown-linux-gnu\"}}")

#ifdef PADDING
/* Makes it as large as a module that does something. */
__attribute__((used)) static const char padding[PADDING] = {1};
#endif

static int32_t launch(void *state, const eaves_launch *launch) {
    (void)state;
    return launch->argc;
}

int32_t eaves_register(const eaves_host *host) {
    eaves_feature feature = {sizeof feature, "feature-0000", 0, launch, 0};
    return host->register_feature(host, &feature);
}
