// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0
//
// Declares needs that no module meets, one of them a slip of the pen. In C: for a module in Swift, the
// build finds the protocols that it means.

#include "eaves.h"

EAVES_MODULE_NOTE(
    "{\"type\":\"eaves\",\"name\":\"needs-unknown-service\",\"version\":\"1.0.0\",\"eaves\":{"
    "\"id\":\"needs-unknown-service\",\"version\":\"1.0.0\",\"summary\":\"Needs what nobody "
    "provides\",\"layer\":\"feature\",\"requires\":[\"UserServise\",\"WeatherService\"],"
    "\"features\":[{\"name\":\"weather\",\"summary\":\"Tell the weather\"}],\"abi\":1}}")

int32_t eaves_register(const eaves_host *host) {
    (void)host;
    return 0;
}
