// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface
package import EavesRegistry

extension Container {
    /// Brings in a module that is linked into the program. It has no file to check and to load; the steps after that are
    /// those of a module that has one: it registers, it starts, and all that it has registered becomes visible at once.
    ///
    /// - Parameters:
    ///   - id: The module's id in messages; the type's name if `nil`.
    ///   - starts: Whether the module starts, on this thread. If not, its life cycle is the program's own.
    /// - Returns: The life cycle that ends the work of the module; `nil` if it has none.
    /// - Throws: The error of the module, or ``RegistrationError``. Nothing of the module is registered then, and it does
    ///   not run.
    package func bringIn<Linked: Module>(
        _ module: Linked.Type, id: String?, settings: Settings, starting starts: Bool
    ) throws -> (any Lifecycle)? {
        let id = id ?? "\(module)"
        let registrar = StagedRegistrar(module: id, settings: settings)
        try module.register(in: registrar)
        guard starts, let lifecycle = try registrar.lifecycle() else {
            try registrar.commit(to: self)
            return nil
        }
        try lifecycle.start(resolver(forLifecycleOf: id))
        do {
            try registrar.commit(to: self)
        } catch {
            // The error says what is wrong; a module that does not stop either cannot change that.
            try? lifecycle.stop()
            throw error
        }
        return lifecycle
    }
}
