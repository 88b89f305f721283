// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves
import EavesInterface

/// The module's entry point, called by the host after it loaded the module.
@c(eaves_register)
public func eavesRegister(_ host: UnsafePointer<eaves_host>) -> Int32 {
    register(MisbehavesModule.self, with: host)
}
