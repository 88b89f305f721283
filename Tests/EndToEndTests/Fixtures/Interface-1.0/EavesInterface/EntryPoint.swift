// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import CEaves

/// Registers a module with the host that called its entry point.
///
/// Call it from `eaves_register` and return what it returns, as shown at ``Module``.
///
/// - Parameters:
///   - module: The module's type.
///   - host: What the entry point was given. Owned by the host, valid during the call.
/// - Returns: 0, or 1 if the module threw an error; the host then has the error's text.
public func register(
    _ module: (some Module).Type, with host: UnsafePointer<eaves_host>
) -> Int32 {
    // SAFETY: `eaves.h` says that `registrar` points to an `any Registrar` of this very module,
    // and the host keeps it alive during the call.
    let registrar = host.pointee.registrar.assumingMemoryBound(to: (any Registrar).self).pointee
    do {
        try module.register(in: registrar)
        return 0
    } catch {
        String(describing: error).withCString { host.pointee.fail(host, $0) }
        return 1
    }
}
