// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

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

    init(folders: [String], known: [String: String]) {
        self.folders = folders
        self.known = known
    }

    init(environment: Environment) {
        let named = (environment["LIBRARY_PATH"] ?? "").split(separator: ":").map(String.init)
        folders = named.filter { $0.hasPrefix("/") } + Self.systemFolders
        known = LoaderCache.machine?.libraries ?? [:]
    }

    /// The folders with libraries of this machine, in order.
    static var systemFolders: [String] {
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
    func library(_ name: String) -> CLibrary? {
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

/// The dynamic linker's list of libraries, `/etc/ld.so.cache`.
///
/// The format is that of glibc since 2.2 (`sysdeps/generic/dl-cache.h`): a header of 48 bytes, and
/// entries of 24 bytes with the offsets of names and paths.
package struct LoaderCache {
    private static let magic = Array("glibc-ld.so.cache1.1".utf8)
    private static let headerSize = 48
    private static let entrySize = 24
    /// The architecture's part of an entry's flags.
    private static let architecture: UInt32 = {
        #if arch(x86_64)
            0x0300
        #elseif arch(arm64)
            0x0a00
        #else
            0
        #endif
    }()

    /// The list of this machine; `nil` if it cannot be read.
    static var machine: LoaderCache? {
        (try? Files.read("/etc/ld.so.cache", limit: 16 << 20)).flatMap(LoaderCache.init)
    }

    /// The files' paths by the files' names, for this architecture.
    let libraries: [String: String]

    /// - Returns: `nil` if the bytes are no such list.
    init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: Self.magic), bytes.count >= Self.headerSize else { return nil }
        let count = Int(Self.number(bytes, at: 20))
        guard count <= (bytes.count - Self.headerSize) / Self.entrySize else { return nil }
        var libraries: [String: String] = [:]
        for index in 0..<count {
            let entry = Self.headerSize + index * Self.entrySize
            guard Self.number(bytes, at: entry) & 0xff00 == Self.architecture,
                let name = Self.text(bytes, at: Self.number(bytes, at: entry + 4)),
                let path = Self.text(bytes, at: Self.number(bytes, at: entry + 8))
            else { continue }
            // The dynamic linker takes the first one of several with the same name.
            if libraries[name] == nil { libraries[name] = path }
        }
        self.libraries = libraries
    }

    private static func number(_ bytes: [UInt8], at offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func text(_ bytes: [UInt8], at offset: UInt32) -> String? {
        guard let start = Int(exactly: offset), start < bytes.count,
            let end = bytes[start...].firstIndex(of: 0)
        else { return nil }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
