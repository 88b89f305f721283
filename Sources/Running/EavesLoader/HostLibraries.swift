// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
import Glibc

/// Looks up the libraries of this process, and the folders where the dynamic linker searches for more.
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
