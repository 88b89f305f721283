// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesELF
import EavesProcess
package import EavesSystem

/// The headers and libraries of C that a module uses, besides its own sources.
package struct CSettings: Hashable, Sendable {
    var libraries: [CLibrary] = []
    /// The answer of `pkg-config` about the packages under `pkgConfig`; `nil` if there are none.
    package var packages: PkgConfig?
    /// The folders with headers under `include`. Absolute.
    package var headerFolders: [String] = []

    package init(libraries: [CLibrary] = []) {
        self.libraries = libraries
    }

    package var clangArguments: [String] {
        headerFolders.flatMap { ["-I", $0] } + (packages?.compilerArguments ?? [])
    }

    package var clangLinkArguments: [String] {
        libraries.flatMap(\.arguments) + (packages?.linkerArguments ?? [])
    }

    /// The arguments for `swiftc` when it reads module maps.
    package var swiftArguments: [String] { clangArguments.flatMap { ["-Xcc", $0] } }

    /// The arguments for `swiftc` when it links. It knows two of Clang's options itself.
    package var swiftLinkArguments: [String] {
        libraries.flatMap(\.arguments)
            + (packages?.linkerArguments ?? []).flatMap { argument in
                argument.hasPrefix("-l") || argument.hasPrefix("-L")
                    ? [argument] : ["-Xclang-linker", argument]
            }
    }
}

/// The answer of `pkg-config` about C libraries: where their headers are, and how they are linked.
package struct PkgConfig: Hashable, Sendable {
    package let compilerArguments: [String]
    package let linkerArguments: [String]
}

extension BuildTools {
    /// Asks `pkg-config` for packages.
    ///
    /// - Throws: If there is no `pkg-config`, or it does not know all of them. The error names those.
    package func packages(_ names: [String], for subject: String) throws(BuildError) -> PkgConfig? {
        if names.isEmpty { return nil }
        let program = try tool(["pkg-config", "pkgconf"], .noPkgConfig, for: subject)
        func run(_ arguments: [String]) throws(BuildError) -> ChildReport {
            try Self.report(
                of: ChildCommand(program, arguments, environment: toolchain.environment),
                for: subject, interrupts)
        }
        func words(_ option: String) throws(BuildError) -> [String] {
            let report = try run([option] + names)
            let text = String(decoding: report.output, as: UTF8.self)
            guard report.ending.isSuccess else {
                throw BuildError(subject, .dependency(.badPackages(names, reason: text)))
            }
            return ShellLine(text).words
        }
        var missing: [String] = []
        for name in names where try !run(["--exists", name]).ending.isSuccess {
            missing.append(name)
        }
        guard missing.isEmpty else {
            throw BuildError(subject, .dependency(.missingPackages(missing)))
        }
        return PkgConfig(
            compilerArguments: try words("--cflags"), linkerArguments: try words("--libs"))
    }
}

/// Finds the package of a header that is installed in a folder of its own, where no compiler looks by itself.
package struct HeaderSearch {
    /// The folders in which other folders have headers.
    var headers = ["/usr/include", "/usr/local/include"]
    /// The folders with the files of `pkg-config`.
    var packages =
        CLibrarySearch.systemFolders.map { Path.join($0, "pkgconfig") } + [
            "/usr/share/pkgconfig", "/usr/local/share/pkgconfig",
        ]

    package init() {}

    /// The name of a package, such as `libxml-2.0` for `libxml/parser.h`; `nil` if the header is not there.
    package func package(ofHeader header: String) -> String? {
        if header.hasPrefix("/") { return nil }
        let folders = headers.flatMap { parent in
            Folder.names(in: parent).map { Path.join(parent, $0) }
        }
        let found = folders.filter { (try? FileStatus(path: Path.join($0, header))) != nil }
        for folder in found {
            for place in packages {
                let files = Folder.names(in: place).filter { $0.hasSuffix(".pc") }.sorted()
                let own = files.first { file in
                    guard let bytes = try? Files.read(Path.join(place, file), limit: 1 << 20)
                    else { return false }
                    return String(decoding: bytes, as: UTF8.self)
                        .split(whereSeparator: \.isWhitespace)
                        .contains {
                            $0.hasPrefix("-I") && $0.hasSuffix("/" + Path.name(of: folder))
                        }
                }
                if let own { return String(own.dropLast(3)) }
            }
        }
        return nil
    }

    /// The folder of a module's own in which a header is, relative to the module's; `nil` if it is in none.
    package func folder(in module: String, ofHeader header: String) -> String? {
        if header.hasPrefix("/") { return nil }
        var rest = [""]
        while let folder = rest.popLast() {
            let path = folder.isEmpty ? module : Path.join(module, folder)
            if !folder.isEmpty, (try? FileStatus(path: Path.join(path, header)))?.kind == .file {
                return folder
            }
            // A link may lead back, so that the search would have no end.
            let inner = ((try? Folder(path).entries) ?? [])
                .filter { !$0.name.hasPrefix(".") && $0.kind == .directory }.map(\.name)
            // The first by name comes first.
            rest += inner.reversed().map { folder.isEmpty ? $0 : Path.join(folder, $0) }
        }
        return nil
    }
}

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
        _ names: [String], for subject: String
    ) throws(BuildError) -> [CLibrary] {
        // Most modules name none, and each build asks.
        if names.isEmpty { return [] }
        let search = CLibrarySearch(environment: .current)
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
