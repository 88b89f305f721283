// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
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
                // Modules that were built against another state of the interface may be able to use this one.
                guard earlier.id == entry.id, earlier.version.serves(stamp.version) else {
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

/// An interface module that is linked into the program, so that no file of it is loaded.
///
/// The program compiles it with library evolution, and its `.swiftmodule` and `.swiftinterface` stand in
/// `Modules` next to the executable, where `swift build` leaves them.
public struct LinkedInterface: Hashable, Sendable {
    /// The id by which modules name it in `interfaces`, such as `weather-api`.
    package let id: String
    /// The name of the Swift module, such as `WeatherAPI`.
    package let module: String
    /// The interface's version: two numbers, such as `1.2`.
    package let version: String
    /// The id of the module whose own interface it is; `nil` for an interface that all modules share.
    package let owner: String?

    /// Describes an interface that is linked in.
    ///
    /// - Parameters:
    ///   - id: The id by which modules name it.
    ///   - module: The name of the Swift module.
    ///   - version: Two numbers, such as `1.2`.
    ///   - owner: The id of the module whose own interface it is. Without it, every module may name the interface.
    public init(id: String, module: String, version: String, owner: String? = nil) {
        self.id = id
        self.owner = owner
        self.module = module
        self.version = version
    }
}

/// The interface modules that are linked into this process. A process has one copy of each, whatever hosts it makes.
///
/// Safe from any thread.
package enum LinkedInterfaces {
    private static let interfaces = Mutex<[ProgramInterface]>([])

    /// All that were declared, in order, as the rules want them.
    static var inProfile: [ProgramInterface] { interfaces.withLock { $0 } }

    /// Declares interfaces of the program. Declaring the same one twice changes nothing.
    ///
    /// - Throws: `ProgramError` if a version is not one.
    package static func declare(_ added: [LinkedInterface]) throws {
        guard !added.isEmpty else { return }
        let checked = try added.map { interface in
            guard let version = InterfaceVersion(interface.version) else {
                throw ProgramError.badInterfaceVersion(interface)
            }
            return ProgramInterface(
                id: interface.id, module: interface.module, version: version,
                owner: interface.owner)
        }
        interfaces.withLock { known in
            for interface in checked where !known.contains(interface) { known.append(interface) }
        }
    }
}

/// A program cannot be a host.
package enum ProgramError: Error, Hashable {
    /// Modules would not find the interface in the program.
    case notExported
    /// Each module would bring a second Swift runtime, whose types are not those of the program.
    case staticRuntime
    case badInterfaceVersion(LinkedInterface)

    /// Checks that modules can find the program's symbols, and those of its Swift runtime.
    package static func checkExports(runtime: String) throws(ProgramError) {
        guard HostLibraries.has(runtime) else { throw .staticRuntime }
        // The protocol descriptor of `Feature`.
        guard HostSymbols.has("$s14EavesInterface7FeatureMp") else { throw .notExported }
    }
}

extension ProgramError: Diagnosable {
    package var diagnostic: Diagnostic {
        switch self {
        case .notExported:
            Diagnostic(
                "this program does not export its symbols, so no module can be loaded into it",
                fix: "let its target depend on the product EavesHost, whose linker flags do "
                    + "that, and do not strip the program's dynamic symbols",
                code: .incompatible)
        case .staticRuntime:
            Diagnostic(
                "this program has the Swift runtime linked in, so no module can share its types",
                fix: "build it without '-static-stdlib' and '--static-swift-stdlib', and ship "
                    + "Swift's libraries with it, found by '-rpath $ORIGIN'", code: .incompatible)
        case .badInterfaceVersion(let interface):
            Diagnostic(
                "the linked-in interface '\(interface.id)' has the version "
                    + "\(interface.version.quoted): expected two numbers, such as '1.2'",
                fix: "give LinkedInterface the first two numbers of the interface's version",
                code: .configuration)
        }
    }
}
