// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesDiagnostics
import EavesELF
@_spi(Generated) import EavesInterface
import EavesSystem
import Glibc
import Synchronization

/// The services of this process whose calls can go to another one: the tables of all interface modules whose calls are
/// loaded.
///
/// Safe from any thread.
enum WireTables {
    private struct Known {
        /// The interface modules whose calls are loaded, and the descriptors of their calls.
        var interfaces: [String: Int32?] = [:]
        var services: [String: WireService] = [:]
        var errors = WireFailure.ofFeatures
    }

    private static let known = Mutex(Known())

    static func service(_ name: String) -> WireService? {
        known.withLock { $0.services[name] }
    }

    static func error(_ type: String) -> WireFailure? { known.withLock { $0.errors[type] } }

    /// Loads the calls of an interface module, once in a process. The interface itself has to be loaded already.
    ///
    /// - Parameter file: Its private copy. It is part of the process, so no other process can change it.
    /// - Returns: The descriptor of a file with the calls, which stays open; `nil` if no protocol has such calls.
    /// - Throws: ``WireTableError``
    static func load(_ id: String, from file: String) throws(WireTableError) -> Int32? {
        try load(id) { () throws(WireTableError) in
            do {
                let code = try ELFFile(file).section(
                    named: WallReport.codeSection, limit: WallReport.sizeLimit)
                guard let code else { return nil }
                // The copy stays open: the dynamic linker knows a file by its path, and each worker gets it.
                let copy = try MemoryFile.sealed(code, name: "\(id)-calls")
                let descriptor = fcntl(copy.descriptor, F_DUPFD_CLOEXEC, 0)
                guard descriptor >= 0 else { throw SystemError(.open, copy.path) }
                return descriptor
            } catch {
                let words = (error as? SystemError).map { "\($0.path): \($0.errno)" }
                throw WireTableError(interface: id, reason: words ?? "\(error)")
            }
        }
    }

    /// Loads the calls of an interface module, once in a process.
    ///
    /// - Parameter file: A function that returns a file that holds them alone; `nil` if there are none.
    @discardableResult
    static func load(
        _ id: String, from file: () throws(WireTableError) -> Int32?
    ) throws(WireTableError) -> Int32? {
        try known.withLock { known throws(WireTableError) in
            if let calls = known.interfaces[id] { return calls }
            let calls = try file()
            if let calls {
                let path = PathHandle.ownPath(of: calls)
                let flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE
                guard let handle = ThreadState.keeping({ dlopen(path, flags) }),
                    let symbol = dlsym(handle, "eaves_wire_table")
                else {
                    let reason = dlerror().map { String(cString: $0) } ?? "it has no table"
                    throw WireTableError(interface: id, reason: reason)
                }
                let table = WireTable()
                // SAFETY: `eaves build` has generated the function, which takes an unretained `WireTable` and uses it
                // during the call alone.
                typealias Entry = @convention(c) (UnsafeMutableRawPointer) -> Void
                unsafeBitCast(symbol, to: Entry.self)(Unmanaged.passUnretained(table).toOpaque())
                known.services.merge(table.services) { first, _ in first }
                known.errors.merge(table.errors) { first, _ in first }
            }
            known.interfaces[id] = .some(calls)
            return calls
        }
    }
}

/// The calls of an interface module cannot be loaded.
struct WireTableError: Error, Hashable, Sendable {
    /// The interface module's id.
    let interface: String
    let reason: String
}

extension WireTableError: Diagnosable {
    var diagnostic: Diagnostic {
        Diagnostic(
            "the calls of the interface module '\(interface)' to another process cannot be loaded: "
                + reason,
            fix: "rebuild '\(interface)' with this version of Eaves", code: .incompatible)
    }
}
