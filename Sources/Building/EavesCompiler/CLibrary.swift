// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
package import EavesSystem

/// A C library that a module names under `link`, as this machine has it.
package enum CLibrary: Hashable, Sendable {
    /// `libsqlite3.so` or `libsqlite3.a` in a folder, as a package for development brings it.
    case named(String, folder: String)
    /// A library that is installed only for programs that run: `/lib/…/libsqlite3.so.0`.
    case file(String)

    /// The linker's arguments, for clang and for `swiftc` alike.
    var arguments: [String] {
        switch self {
        case .named(let name, let folder): ["-L", folder, "-l\(name)"]
        case .file(let path): ["-Xlinker", path]
        }
    }

    /// Finds the libraries of a module.
    ///
    /// - Throws: If one is not installed. The error names all of them.
    package static func find(
        _ names: [String], for subject: String, environment: Environment = .current
    ) throws(BuildError) -> [CLibrary] {
        // Most modules name none, and each build asks.
        if names.isEmpty { return [] }
        let search = CLibrarySearch(environment: environment)
        let found = names.map { ($0, search.library($0)) }
        let missing = found.filter { $0.1 == nil }.map(\.0)
        guard missing.isEmpty else {
            throw BuildError(subject, .dependency(.missingLibraries(missing)))
        }
        return found.compactMap(\.1)
    }
}

/// Looks for C libraries where the linker and the dynamic linker of this machine look.
package struct CLibrarySearch {
    /// The folders with libraries for development, in order.
    let folders: [String]
    /// The libraries that the dynamic linker knows; the file's path by the file's name.
    let known: [String: String]

    /// The folders with libraries of this machine, in order.
    package static var systemFolders: [String] {
        #if arch(x86_64)
            let machine = "x86_64-linux-gnu"
        #elseif arch(arm64)
            let machine = "aarch64-linux-gnu"
        #else
            let machine = "linux-gnu"
        #endif
        return [
            "/usr/local/lib/\(machine)", "/usr/local/lib", "/usr/lib/\(machine)",
            "/lib/\(machine)", "/usr/lib64", "/lib64", "/usr/lib", "/lib",
        ]
    }

    /// Finds one library: one for development, or else the latest version that programs run with.
    package func library(_ name: String) -> CLibrary? {
        let files = ["lib\(name).so", "lib\(name).a"]
        let folder = folders.first { folder in
            files.contains { (try? FileStatus(path: Path.join(folder, $0)))?.kind == .file }
        }
        if let folder { return .named(name, folder: folder) }
        let prefix = "lib\(name).so."
        let versioned = known.filter { file, path in
            file.hasPrefix(prefix) && (try? FileStatus(path: path))?.kind == .file
        }
        return versioned.max {
            Self.version($0.key).lexicographicallyPrecedes(Self.version($1.key))
        }
        .map { .file($0.value) }
    }

    /// The numbers after `.so.`, so that 10 is later than 9.
    private static func version(_ file: String) -> [Int] {
        file.split(separator: ".").drop { $0 != "so" }.dropFirst().map { Int($0) ?? 0 }
    }
}

extension CLibrarySearch {
    package init(environment: Environment) {
        let named = (environment["LIBRARY_PATH"] ?? "").split(separator: ":").map(String.init)
        folders = named.filter { $0.hasPrefix("/") } + Self.systemFolders
        known = LibraryCache("/etc/ld.so.cache")?.libraries ?? [:]
    }
}
