// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
import Glibc

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

    /// Whether a loaded library, or a library that it is linked to, defines a symbol.
    package static func library(_ name: String, defines symbol: String) -> Bool {
        loaded(name, defines: symbol) ?? false
    }

    /// The same; `nil` if the process has loaded no library of this name. Each question costs the dynamic
    /// linker a look at all names, so this is one question and not two.
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
    package static func has(_ name: String) -> Bool {
        dlsym(nil, name) != nil
    }
}
