// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves
import CEavesSystem
package import EavesInterface
import EavesSystem
import Glibc
import Synchronization

/// Loads a module's code and lets it register: `dlopen`, `dlsym`, one call.
///
/// A module can end the process while it is loaded, so callers check everything that can be checked
/// before. Safe from any thread.
package enum Loader {
    /// Loads the file, and so runs its constructors.
    ///
    /// The module is never unloaded: Swift keeps pointers into it, which the next dynamic cast would follow.
    ///
    /// - Parameter file: A private copy of the module, which no other process writes to; see ``ShadowCopy``.
    /// - Throws: ``LoadError`` if the dynamic linker refuses the file, or it has no entry point.
    package static func open(_ file: String) throws(LoadError) -> LoadedModule {
        guard let symbol = try dlsym(link(file, RTLD_LOCAL), EAVES_ENTRY) else {
            throw .noEntryPoint
        }
        // SAFETY: `eaves.h` fixes the type of the symbol of this name; the code stays mapped.
        return LoadedModule(file: file, entry: unsafeBitCast(symbol, to: eaves_entry.self))
    }

    /// Loads an interface module, whose symbols from then on are those of the whole process. It has no entry
    /// point, and is never unloaded.
    package static func openInterface(_ file: String) throws(LoadError) {
        _ = try link(file, RTLD_GLOBAL)
    }

    private static func link(
        _ file: String, _ visibility: Int32
    ) throws(LoadError) -> UnsafeMutableRawPointer {
        let name = LinkerName.of(file)
        // A string passed as it is would be copied to an array first.
        let handle = CrashWatch.firstRun(of: file, .load) {
            name.withCString { dlopen($0, RTLD_NOW | visibility | RTLD_NODELETE) }
        }
        if let handle { return handle }
        let message =
            dlerror().map { String(cString: $0) } ?? "the dynamic linker gave no reason"
        let error = LoadError(linkerMessage: message, file: name)
        switch error {
        // The linker does not say what it found too little of.
        case .notLoadable, .missingLibrary:
            throw ProcessRoom.usedUp.map { .exhausted($0) } ?? error
        default: throw error
        }
    }
}

// SAFETY: holds the address of a function that stays mapped until the process ends.
/// A module whose code is loaded. It registers when its entry point is called.
package struct LoadedModule: @unchecked Sendable {
    fileprivate let file: String
    let entry: eaves_entry
    /// The locks of the files whose entry points were called. Several hosts of a process may have one file.
    private static let locks = Mutex<[String: RecursiveLock]>([:])

    /// Calls the entry point, on one thread at a time.
    ///
    /// - Parameter log: Called with each message that the module logs meanwhile.
    /// - Throws: ``LoadError/refused(message:code:)`` if the module does not register.
    package func register(
        in registrar: any Registrar & AnyObject, shown table: HostTable = .current,
        log: @escaping (LogMessage) -> Void
    ) throws(LoadError) {
        let lock = Self.locks.withLock { locks in
            let lock = locks[file] ?? RecursiveLock()
            locks[file] = lock
            return lock
        }
        let (code, refusal) = lock.withLock {
            CrashWatch.firstRun(of: file, .register) {
                EntryCall.run(entry, registrar: registrar, shown: table, log: log)
            }
        }
        if let refusal { throw .refused(message: refusal, code: code) }
        guard code == 0 else { throw .refused(message: nil, code: code) }
    }
}

/// The state of one call of a module's entry point, for the host functions that the module calls.
///
/// It lies on the stack: every module that is loaded has one such call, and no part of the state outlives it.
struct EntryCall {
    /// The size of the reserved memory after the table, by which ``HostTable/later`` grows. In bytes.
    static let room: UInt32 = 64

    /// The registrar that the module registers in: an object, so that calling it copies nothing.
    private let registrar: any Registrar & AnyObject
    private let table: HostTable
    private let log: (LogMessage) -> Void
    /// The texts that the module has got. They are released when the call ends.
    private var texts: [UnsafeMutablePointer<CChar>] = []
    private var hasLifecycle = false
    /// Why the registration is invalid, whatever the entry point returns: the reason for which the
    /// host refused something, or the last message that the module passed to `fail`.
    private var refusal: String?

    /// Calls an entry point with a table that lives as long as the call.
    ///
    /// - Parameter log: Called with each message that the module logs meanwhile.
    /// - Returns: The result of the entry point, and why the registration is invalid if it is.
    static func run(
        _ entry: eaves_entry, registrar: any Registrar & AnyObject, shown table: HostTable,
        log: @escaping (LogMessage) -> Void
    ) -> (code: Int32, refusal: String?) {
        var call = EntryCall(registrar: registrar, table: table, log: log)
        defer { for text in call.texts { free(text) } }
        // SAFETY: the call state, the registrar as Swift modules see it, and the frame are locals
        // that outlive the entry point's call, and the module must not use them after it (eaves.h).
        let code = withUnsafeMutablePointer(to: &call) { call in
            withUnsafePointer(to: registrar as any Registrar) { registrar in
                var frame = Frame(
                    table: eaves_host(
                        abi_version: table.abiVersion,
                        size: UInt32(MemoryLayout<eaves_host>.size) + table.growth,
                        registrar: UnsafeMutableRawPointer(mutating: UnsafeRawPointer(registrar)),
                        register_feature: { EntryCall.of($0).pointee.register($1) },
                        fail: { EntryCall.of($0).pointee.refusal = String(cString: $1) },
                        log: {
                            let level = LogLevel(rawValue: $1) ?? .info
                            let message = LogMessage(level: level, text: String(cString: $2))
                            EntryCall.of($0).pointee.log(message)
                        },
                        settings: { EntryCall.of($0).pointee.settingsText() },
                        path: { EntryCall.of($0).pointee.path(String(cString: $1)) },
                        register_lifecycle: { EntryCall.of($0).pointee.register($1) }),
                    call: call)
                return withUnsafePointer(to: &frame) {
                    entry(UnsafeRawPointer($0).assumingMemoryBound(to: eaves_host.self))
                }
            }
        }
        return (code, call.refusal)
    }

    /// The table, followed by the call that it belongs to: C functions have no context of their own.
    private struct Frame {
        var table: eaves_host
        /// ``room`` bytes, where the table of a later host would continue.
        var rest: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
            (0, 0, 0, 0, 0, 0, 0, 0)
        // SAFETY: valid until `run`, which has made it, returns.
        var call: UnsafeMutablePointer<EntryCall>
    }

    private static func of(_ host: UnsafePointer<eaves_host>) -> UnsafeMutablePointer<EntryCall> {
        // SAFETY: modules pass the pointer that they got, which is the start of a `Frame`.
        UnsafeRawPointer(host).assumingMemoryBound(to: Frame.self).pointee.call
    }

    private mutating func register(_ feature: UnsafePointer<eaves_feature>) -> Int32 {
        if table.refuses { return refuse("this host accepts no feature") }
        guard feature.pointee.size >= Self.firstFeatureSize else {
            return refuse(
                "eaves_feature.size: expected at least \(Self.firstFeatureSize), "
                    + "found \(feature.pointee.size)")
        }
        // SAFETY: the fields are read as optionals, since C does not enforce the header's non-null.
        // The offsets are those that layout.c asserts.
        let fields = UnsafeRawPointer(feature)
        let name = fields.load(fromByteOffset: 8, as: UnsafePointer<CChar>?.self)
        let launch = fields.load(fromByteOffset: 24, as: UnsafeRawPointer?.self)
        guard let name, launch != nil else {
            return refuse("eaves_feature: \(name == nil ? "name" : "launch") is NULL")
        }
        let adapter = CFeature(feature.pointee)
        registrar.register(
            (any Feature).self,
            // C modules do not tell more of the place.
            RegistrationOptions(
                name: String(cString: name), place: SourcePlace("eaves_register")),
            factory: { _ in adapter }, completed: nil)
        return 0
    }

    private mutating func register(_ lifecycle: UnsafePointer<eaves_lifecycle>) -> Int32 {
        if table.refuses { return refuse("this host accepts no life cycle") }
        guard !hasLifecycle else {
            return refuse("register_lifecycle is called twice, and a module has one life cycle")
        }
        guard lifecycle.pointee.size >= Self.firstLifecycleSize else {
            return refuse(
                "eaves_lifecycle.size: expected at least \(Self.firstLifecycleSize), "
                    + "found \(lifecycle.pointee.size)")
        }
        let given = lifecycle.pointee
        guard (given.snapshot == nil) == (given.restore == nil) else {
            return refuse(
                "eaves_lifecycle: \(given.snapshot == nil ? "snapshot" : "restore") is NULL, and "
                    + "\(given.snapshot == nil ? "restore" : "snapshot") is not")
        }
        hasLifecycle = true
        registrar.lifecycle(given.snapshot == nil ? CLifecycle(given) : CStateHandover(given))
        return 0
    }

    // The sizes of the structures when they were first published. Later versions have all their fields.
    private static let firstFeatureSize = 40
    private static let firstLifecycleSize = 64

    private mutating func refuse(_ reason: String) -> Int32 {
        refusal = reason
        return 1
    }

    private mutating func settingsText() -> UnsafePointer<CChar> {
        keep(registrar.settings.text())
    }

    private mutating func path(_ path: String) -> UnsafePointer<CChar> {
        keep(registrar.settings.path(relative: path))
    }

    /// A copy of a text that stays where it is until the call ends.
    private mutating func keep(_ text: String) -> UnsafePointer<CChar> {
        guard let copy = strdup(text) else { fatalError("there is no memory left for a text") }
        texts.append(copy)
        return UnsafePointer(copy)
    }
}

/// Describes the host that a module meets while it registers: this one, or one that it could meet elsewhere.
package struct HostTable: Hashable, Sendable {
    package static var current: HostTable { HostTable() }
    /// A host that accepts no feature.
    package static let refusing = HostTable(refuses: true)
    /// A host with an ABI that no module knows.
    package static let unknown = HostTable(abiVersion: .max)
    /// A later host of the same ABI, whose table has grown at the end.
    package static let later = HostTable(growth: EntryCall.room)

    var abiVersion = UInt32(EAVES_ABI_VERSION)
    /// By how much the table claims to be larger. In bytes.
    var growth: UInt32 = 0
    var refuses = false
}

/// A message that a module logs: through the C functions while it registers, or through a `Logger`.
package struct LogMessage: Hashable, Sendable {
    package let level: LogLevel
    package let text: String

    package init(level: LogLevel, text: String) {
        self.level = level
        self.text = text
    }
}

/// Makes the names by which the dynamic linker gets files.
///
/// glibc compares the name with those of all loaded objects, from the first byte on (`elf/dl-load.c`,
/// `_dl_map_object`). The names of files in one folder differ only at their ends; with a thousand of them, comparing
/// takes a tenth of the loading time, and more if the path is long. Eight steps that lead nowhere, `/.` or `//`, make
/// the names differ in their first 16 bytes, which are compared at once.
package enum LinkerName {
    /// The length of the eight steps. In bytes.
    private static let lead = 16

    /// Returns the name for a path, always the same one for the same path. A relative path stays as it is.
    package static func of(_ path: String) -> String {
        guard path.utf8.first == UInt8(ascii: "/") else { return path }
        var whole = FNV1a()
        whole.add(path)
        // The lowest bits, one for each step, depend on all of the path.
        let hash = [32, 16, 8].reduce(whole.hash) { $0 ^ $0 >> $1 }
        return String(unsafeUninitializedCapacity: lead + path.utf8.count) { name in
            for step in 0..<lead / 2 {
                name[2 * step] = UInt8(ascii: "/")
                name[2 * step + 1] = UInt8(ascii: hash >> step & 1 == 0 ? "/" : ".")
            }
            _ = UnsafeMutableBufferPointer(rebasing: name[lead...]).update(from: path.utf8)
            return lead + path.utf8.count
        }
    }
}
