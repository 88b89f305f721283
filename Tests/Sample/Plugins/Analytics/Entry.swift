// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves
import EavesInterface

/// The entry point, which the host calls after it has loaded the module.
@c(eaves_register)
public func eavesRegister(_ host: UnsafePointer<eaves_host>) -> Int32 {
    register(AnalyticsModule.self, with: host)
}
