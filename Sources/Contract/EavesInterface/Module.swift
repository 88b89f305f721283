// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import CEaves

/// The type through which a module registers its factories.
///
/// A module has one type that conforms to this protocol, and one C function that the host calls:
///
/// ```swift
/// import CEaves
/// import EavesInterface
///
/// @c(eaves_register)
/// public func eavesRegister(_ host: UnsafePointer<eaves_host>) -> Int32 {
///     register(LoginModule.self, with: host)
/// }
/// ```
///
/// A module that does not define this function gets it from `eaves build`.
public protocol Module {
    /// Registers everything that the module's `module.json` declares, no more and no less.
    ///
    /// The host calls this after it has loaded the module. Register factories and return. A host that stays up calls it
    /// again when the module's settings change, or when it goes back to a build that it has loaded before. Services
    /// cannot be resolved yet, and heavy work belongs in the factories.
    ///
    /// - Parameter registrar: Valid during the call only.
    /// - Throws: Anything. The host then refuses the whole module and shows the error's text.
    static func register(in registrar: any Registrar) throws
}

/// Registers a module with the host that called its entry point.
///
/// Call this function from `eaves_register` and return its result, as shown at ``Module``.
///
/// - Parameters:
///   - module: The module's type.
///   - host: The argument of the entry point. The host owns it; it is valid during the call.
/// - Returns: 0, or 1 if the module threw an error; the host then has the error's text.
public func register(_ module: (some Module).Type, with host: UnsafePointer<eaves_host>) -> Int32 {
    // SAFETY: `eaves.h` promises that `registrar` points to an `any Registrar` of this very Swift
    // module, and the host keeps it alive during the call.
    let registrar = host.pointee.registrar.assumingMemoryBound(to: (any Registrar).self).pointee
    do {
        try module.register(in: registrar)
        return 0
    } catch {
        String(describing: error).withCString { host.pointee.fail(host, $0) }
        return 1
    }
}
