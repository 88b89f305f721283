// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves
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
    /// The module is never unloaded: Swift keeps pointers into it, which the next dynamic cast
    /// would follow.
    ///
    /// - Parameter file: A private copy of the module, which no other process writes to; see
    ///   ``ShadowCopy``.
    /// - Throws: ``LoadError`` if the dynamic linker refuses the file, or it has no entry point.
    package static func open(_ file: String) throws(LoadError) -> LoadedModule {
        let name = LinkerName.of(file)
        // A string passed as it is would be copied to an array first.
        let handle = CrashWatch.firstRun(of: file, .load) {
            name.withCString { dlopen($0, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) }
        }
        guard let handle else { throw lastError(of: name) }
        guard let symbol = dlsym(handle, EAVES_ENTRY) else { throw .noEntryPoint }
        // SAFETY: `eaves.h` fixes the type of the symbol of this name; the code stays mapped.
        return LoadedModule(file: file, entry: unsafeBitCast(symbol, to: eaves_entry.self))
    }

    /// Loads an interface module, whose symbols from then on are those of the whole process. It has no entry
    /// point, and is never unloaded.
    package static func openInterface(_ file: String) throws(LoadError) {
        let name = LinkerName.of(file)
        let handle = CrashWatch.firstRun(of: file, .load) {
            name.withCString { dlopen($0, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE) }
        }
        guard handle != nil else { throw lastError(of: name) }
    }

    private static func lastError(of name: String) -> LoadError {
        let message =
            dlerror().map { String(cString: $0) } ?? "the dynamic linker gave no reason"
        let error = LoadError(linkerMessage: message, file: name)
        switch error {
        // The linker does not say what it found too little of.
        case .notLoadable, .missingLibrary:
            return ProcessRoom.usedUp.map { .exhausted($0) } ?? error
        default: return error
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

/// Makes the names by which the dynamic linker gets files.
///
/// glibc compares the name with those of all loaded objects, from the first byte on
/// (`elf/dl-load.c`, `_dl_map_object`). The names of files in one folder differ only at their ends;
/// with a thousand of them, comparing takes a tenth of the loading time, and more if the path is
/// long. Eight steps that lead nowhere, `/.` or `//`, make the names differ in their first 16
/// bytes, which are compared at once.
package enum LinkerName {
    /// The length of the eight steps. In bytes.
    private static let lead = 16

    /// Returns the name for a path, always the same one for the same path. A relative path stays as
    /// it is.
    package static func of(_ path: String) -> String {
        guard path.utf8.first == UInt8(ascii: "/") else { return path }
        let hash = hash(of: path)
        return String(unsafeUninitializedCapacity: lead + path.utf8.count) { name in
            for step in 0..<lead / 2 {
                name[2 * step] = UInt8(ascii: "/")
                name[2 * step + 1] = UInt8(ascii: hash >> step & 1 == 0 ? "/" : ".")
            }
            _ = UnsafeMutableBufferPointer(rebasing: name[lead...]).update(from: path.utf8)
            return lead + path.utf8.count
        }
    }

    /// Returns a hash whose lowest bits, one for each step, depend on all of the path.
    private static func hash(of path: String) -> UInt64 {
        var whole = FNV1a()
        whole.add(path)
        return [32, 16, 8].reduce(whole.hash) { $0 ^ $0 >> $1 }
    }
}
