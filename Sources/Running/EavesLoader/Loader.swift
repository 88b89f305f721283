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

/// Looks up the libraries of this process, and the folders where the dynamic linker searches for
/// more.
package enum HostLibraries {
    /// The folders that the dynamic linker searches for the executable, in its order: those of the executable's
    /// run path, of `LD_LIBRARY_PATH` and of the system. They stay the same while the process runs.
    package static let folders: [String] = {
        guard let program = dlopen(nil, RTLD_LAZY) else { return [] }
        defer { dlclose(program) }
        var header = Dl_serinfo()
        guard dlinfo(program, Int32(RTLD_DI_SERINFOSIZE), &header) == 0 else { return [] }
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: Int(header.dls_size), alignment: MemoryLayout<Dl_serinfo>.alignment)
        defer { memory.deallocate() }
        memory.copyMemory(from: &header, byteCount: listOffset)
        guard dlinfo(program, Int32(RTLD_DI_SERINFO), memory) == 0 else { return [] }
        // SAFETY: the linker has told the size of the structure and filled it: `dls_cnt` elements,
        // followed by their names in the same memory.
        let elements = UnsafeBufferPointer(
            start: (memory + listOffset).assumingMemoryBound(to: Dl_serpath.self),
            count: Int(header.dls_cnt))
        // Their flags tell nothing: in glibc, they are the same for all folders.
        return elements.compactMap { $0.dls_name.map { String(cString: $0) } }
    }()

    /// The offset of the list in `Dl_serinfo`, which begins with a size and a count.
    private static let listOffset = 2 * MemoryLayout<Int>.size

    /// Whether the process has loaded a library of this name. Loads nothing itself.
    package static func has(_ name: String) -> Bool {
        withLoaded(name) { _ in true } ?? false
    }

    /// Whether a loaded library, or a library that it is linked to, defines a symbol; `nil` if the process has loaded no
    /// library of this name. Each question costs the dynamic linker a look at all names, so this is one question and not two.
    package static func loaded(_ name: String, defines symbol: String) -> Bool? {
        withLoaded(name) { dlsym($0, symbol) != nil }
    }

    private static func withLoaded<Result>(
        _ name: String, _ body: (UnsafeMutableRawPointer) -> Result
    ) -> Result? {
        guard let handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD) else {
            // Clears the error, which the linker would return to the next caller.
            _ = dlerror()
            return nil
        }
        defer { dlclose(handle) }
        return body(handle)
    }
}

/// Looks up the symbols that this process offers to the modules it loads.
package enum HostSymbols {
    /// Whether the process, or a library that it has loaded, defines a symbol.
    package static func has(_ name: String) -> Bool { dlsym(nil, name) != nil }

    /// The file of this process that defines a symbol, and to which all that is loaded later binds that name; `nil` if
    /// there is none.
    package static func definer(of name: String) -> String? {
        var found = Dl_info()
        guard let address = dlsym(nil, name), dladdr(address, &found) != 0 else { return nil }
        return found.dli_fname.map { String(cString: $0) }
    }

    /// The requirements of a protocol, as this process has it, that a type does not implement and that have no
    /// default: a call of one of them would lead nowhere.
    ///
    /// - Parameters:
    ///   - protocolSymbol: The symbol of the protocol's descriptor.
    ///   - implemented: The symbols of the descriptors of the requirements that the type implements.
    /// - Returns: The symbols of the requirements' descriptors; `nil` if the process does not have the protocol.
    package static func requirements(
        of protocolSymbol: String, lackingIn implemented: [String]
    ) -> [String]? {
        guard let descriptor = dlsym(nil, protocolSymbol) else { return nil }
        let known = Set(implemented.compactMap { dlsym(nil, $0) })
        // SAFETY: the Swift ABI fixes the layout of the descriptor, which the symbol of that name is, for every
        // protocol that is compiled with library evolution (`TargetProtocolDescriptor`): 24 bytes, generic
        // requirements of 12 bytes, requirements of 8 bytes. Nothing ever unloads it.
        let generic = descriptor.load(fromByteOffset: 12, as: UInt32.self)
        let count = descriptor.load(fromByteOffset: 16, as: UInt32.self)
        let start = descriptor + 24 + 12 * Int(generic)
        return (0..<Int(count)).compactMap { index in
            let requirement = start + 8 * index
            let defaultImplementation = requirement.load(fromByteOffset: 4, as: Int32.self)
            guard defaultImplementation == 0, !known.contains(requirement) else { return nil }
            return name(at: requirement)
        }
    }

    /// The symbol at exactly this address. Slow: it looks at all symbols.
    private static func name(at address: UnsafeMutableRawPointer) -> String? {
        var found = Dl_info()
        guard dladdr(address, &found) != 0, found.dli_saddr == address, let name = found.dli_sname
        else { return nil }
        return String(cString: name)
    }
}
