// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesLife
package import EavesLoader
import EavesRules
import Synchronization

/// Loads interface modules, each Swift module once in a process, before the first module that names it.
///
/// Their symbols become those of the whole process: modules are compiled against an interface and carry
/// no copy, so all of them, and the program, get the same types. Nothing ever unloads or exchanges a
/// loaded interface, because modules hold its types.
///
/// Safe from any thread.
package enum InterfaceLoader {
    /// The loaded interfaces by the names of their Swift modules, whichever host loaded them.
    private static let loaded = Mutex<[String: LoadedInterface]>([:])

    /// Makes an interface part of the process, unless it is already.
    ///
    /// - Returns: Whether this call loaded it.
    /// - Throws: ``InterfaceConflictError`` if the process has another interface of the same Swift module,
    ///   and the error of `load`.
    static func bringIn(
        _ module: InspectedModule, from copy: PrivateCopy, _ load: () throws -> Void
    ) throws -> Bool {
        let entry = module.entry
        guard let stamp = entry.declaration?.interfaceStamp else {
            throw UnusableModuleError(entry: entry)
        }
        return try loaded.withLock { loaded in
            if let earlier = loaded[stamp.module] {
                guard earlier.serves(stamp, id: entry.id) else {
                    throw InterfaceConflictError(
                        module: stamp.module, loaded: earlier, version: stamp.version)
                }
                return false
            }
            let isLinked = module.isInProcess(stamp)
            if !isLinked { try load() }
            loaded[stamp.module] = LoadedInterface(
                id: entry.id, version: stamp.version, path: entry.path,
                copy: isLinked ? nil : copy)
            return !isLinked
        }
    }

    /// The private copy of the interface module that has a Swift module in this process; `nil` if none has, or if it is
    /// linked into the program.
    package static func copy(of module: String) -> PrivateCopy? {
        loaded.withLock { $0[module]?.copy }
    }
}

private struct LoadedInterface: Sendable {
    let id: String
    let version: InterfaceVersion
    let path: String
    /// The copy that the dynamic linker has got; `nil` if the program has it linked in.
    let copy: PrivateCopy?

    /// Whether modules that were built against another state of the interface can use this one.
    fileprivate func serves(_ stamp: InterfaceStamp, id: String) -> Bool {
        self.id == id && version.serves(stamp.version)
    }
}

/// The process has another interface of the same Swift module, and cannot have both.
private struct InterfaceConflictError: Error, Diagnosable {
    let module: String
    let loaded: LoadedInterface
    let version: InterfaceVersion

    var diagnostic: Diagnostic {
        Diagnostic(
            "its Swift module \(module) is loaded already: \(loaded.version) of "
                + "'\(loaded.id)' (\(loaded.path)), and this is \(version)",
            fix:
                "an interface that is loaded cannot be exchanged: start the program again with "
                + "one of the two", code: .incompatible)
    }
}
