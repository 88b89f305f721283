// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What a feature module is: a type that registers factories.
///
/// A module has one such type, and one entry point that names it:
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
public protocol Module {
    /// Registers everything that the module's `module.json` declares, no more and no less.
    ///
    /// Called once, after the module is loaded. Register factories and return: nothing can be
    /// resolved yet, and heavy work belongs into the factories.
    ///
    /// - Parameter registrar: Valid during the call only.
    /// - Throws: Anything. The module is then refused whole, with the error's text in the message.
    static func register(in registrar: any Registrar) throws
}
