// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CSystem
import Glibc

/// The libraries of this process, and where the dynamic linker looks for more.
package enum HostLibraries {
    /// Where a library that nothing names a place for is searched.
    package struct Folders: Hashable, Sendable {
        /// The run path of the executable.
        package var host: [String] = []
        /// `LD_LIBRARY_PATH`.
        package var environment: [String] = []
        package var system: [String] = []
    }

    /// As the dynamic linker has it for the executable. They stay the same while the process runs.
    package static let folders: Folders = {
        var folders = Folders()
        guard let program = dlopen(nil, RTLD_LAZY) else { return folders }
        defer { dlclose(program) }
        var header = Dl_serinfo()
        guard dlinfo(program, Int32(RTLD_DI_SERINFOSIZE), &header) == 0 else { return folders }
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: Int(header.dls_size), alignment: MemoryLayout<Dl_serinfo>.alignment)
        defer { memory.deallocate() }
        memory.copyMemory(from: &header, byteCount: listOffset)
        guard dlinfo(program, Int32(RTLD_DI_SERINFO), memory) == 0 else { return folders }
        // SAFETY: the linker said how large the structure is and has filled it: `dls_cnt` elements,
        // whose names lie behind them in the same memory.
        let elements = UnsafeBufferPointer(
            start: (memory + listOffset).assumingMemoryBound(to: Dl_serpath.self),
            count: Int(header.dls_cnt))
        for element in elements {
            guard let name = element.dls_name else { continue }
            switch element.dls_flags {
            case Self.isOfEnvironment: folders.environment.append(String(cString: name))
            case Self.isOfRunPath: folders.host.append(String(cString: name))
            default: folders.system.append(String(cString: name))
            }
        }
        return folders
    }()

    /// `LA_SER_LIBPATH` and `LA_SER_RUNPATH` of `link.h`, which cannot be imported beside Swift's own
    /// Glibc module.
    private static let isOfEnvironment: UInt32 = 0x02
    private static let isOfRunPath: UInt32 = 0x04

    /// Where the list begins in `Dl_serinfo`: behind a size and a count.
    private static let listOffset = 2 * MemoryLayout<Int>.size

    /// Whether the process has a library of this name. Loads nothing.
    package static func has(_ name: String) -> Bool {
        withLoaded(name) { _ in true } ?? false
    }

    /// Whether a library that the process has, or one that it is linked to, defines a symbol.
    package static func library(_ name: String, defines symbol: String) -> Bool {
        withLoaded(name) { dlsym($0, symbol) != nil } ?? false
    }

    private static func withLoaded<Result>(
        _ name: String, _ body: (UnsafeMutableRawPointer) -> Result
    ) -> Result? {
        guard let handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD) else {
            // The linker keeps its words for whoever asks next.
            _ = dlerror()
            return nil
        }
        defer { dlclose(handle) }
        return body(handle)
    }
}
