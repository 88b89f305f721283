// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
package import EavesDiagnostics
import EavesELF
package import EavesInterface
import EavesSystem
import Glibc
import Synchronization

/// The services of this process whose calls can go to another one: the tables of all interface modules whose calls are
/// loaded.
///
/// Safe from any thread.
package enum WireTables {
    private struct Known {
        /// The interface modules whose calls are loaded, by their ids.
        var interfaces: Set<String> = []
        var services: [String: WireService] = [:]
        var errors: [String: WireFailure] = [:]
    }

    private static let known = Mutex(Known())

    /// A service by its qualified name, such as `CommonInterface.UserService`.
    package static func service(_ name: String) -> WireService? {
        known.withLock { $0.services[name] }
    }

    static func error(_ type: String) -> WireFailure? { known.withLock { $0.errors[type] } }

    /// Loads the calls of an interface module, once in a process. The interface itself has to be loaded already.
    ///
    /// - Parameters:
    ///   - id: The interface module's id.
    ///   - file: Its private copy. It is part of the process, so no other process can change it.
    /// - Throws: ``WireTableError``
    package static func load(_ id: String, from file: String) throws(WireTableError) {
        try known.withLock { known throws(WireTableError) in
            guard !known.interfaces.contains(id) else { return }
            let table = WireTable()
            if let code = try code(of: id, file) { try fill(table, id, code) }
            known.services.merge(table.services) { first, _ in first }
            known.errors.merge(table.errors) { first, _ in first }
            known.interfaces.insert(id)
        }
    }

    /// The library with the calls; `nil` if no protocol has such calls.
    private static func code(of id: String, _ file: String) throws(WireTableError) -> [UInt8]? {
        do throws(ELFError) {
            return try ELFFile(file).section(
                named: WallReport.codeSection, limit: WallReport.sizeLimit)
        } catch {
            throw WireTableError(interface: id, reason: "\(error)")
        }
    }

    private static func fill(
        _ table: WireTable, _ id: String, _ code: [UInt8]
    ) throws(WireTableError) {
        do throws(SystemError) {
            let file = try MemoryFile.sealed(code, name: "\(id)-calls")
            // The copy stays open: the dynamic linker knows a file by its path.
            let descriptor = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { throw SystemError(.open, file.path) }
            let path = PathHandle.ownPath(of: descriptor)
            guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE),
                let symbol = dlsym(handle, "eaves_wire_table")
            else {
                let reason = dlerror().map { String(cString: $0) } ?? "it has no table"
                throw SystemError(.open, reason)
            }
            // SAFETY: `eaves build` has generated the function, which takes an unretained `WireTable` and uses it
            // during the call alone.
            typealias Entry = @convention(c) (UnsafeMutableRawPointer) -> Void
            unsafeBitCast(symbol, to: Entry.self)(Unmanaged.passUnretained(table).toOpaque())
        } catch {
            throw WireTableError(interface: id, reason: error.path)
        }
    }
}

/// The calls of an interface module cannot be loaded.
package struct WireTableError: Error, Hashable, Sendable {
    /// The interface module's id.
    let interface: String
    let reason: String
}

extension WireTableError: Diagnosable {
    package var diagnostics: [Diagnostic] {
        [
            Diagnostic(
                "the calls of the interface module '\(interface)' to another process cannot be loaded: "
                    + reason,
                fix: "rebuild '\(interface)' with this version of Eaves", code: .incompatible)
        ]
    }
}
