// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
import EavesDiagnostics

/// A dependency of one module that keeps it from being built: a C library, a package, a crate, a Swift module
/// that it imports, or the program that builds them.
package enum DependencyProblem: Hashable, Sendable {
    // MARK: C and C++

    /// C libraries that the module is linked to are not installed.
    case missingLibraries([String])
    /// A header that the sources include is not installed, or not in the folder.
    case missingHeader(String)
    /// A header is in a folder inside of the module's own.
    case ownHeader(String, folder: String)
    /// A header is installed in a folder of its own, which a package of `pkg-config` names.
    case hiddenHeader(String, package: String)
    /// `pkg-config` does not know packages that the module names.
    case missingPackages([String])
    /// `pkg-config` cannot say how to use packages, and has printed why.
    case badPackages([String], reason: String)
    case noPkgConfig
    case noCCompiler

    // MARK: Swift modules

    /// No source has the Swift module that another one imports. The compiler has printed where.
    case noSuchModule(name: String, MissingModule)

    // MARK: Packages and crates

    /// There is no `swift` to build a package with.
    case noPackageManager
    /// There is no `cargo` to build a crate with.
    case noCargo
    /// The toolchain lacks a program that reads interfaces.
    case noTool(String)
    case toolFailed(String, reason: String)
    case badManifest(file: String, reason: String)
    /// A package has no library that could be the module.
    ///
    /// - Parameters:
    ///   - dynamic: The dynamic libraries, if there are several and none is named like the module.
    ///   - others: All products.
    ///   - target: A target that a library could be made of.
    case noProduct(manifest: String, dynamic: [String], others: [String], target: String)
    /// The library of an interface module that is a package has no Swift module of this name. `module.json` names it, or
    /// the folder does.
    case noModule(String, product: String, modules: [String], isNamed: Bool)
    /// A package has its own copy of a Swift module that an interface module brings.
    case carriesModule(String, interface: String, folder: String)
    /// A package that an interface module brings does not compile for library evolution. The compiler has printed why.
    case noEvolution(file: String)
    /// SwiftPM cannot fetch what a package needs, and says why.
    case notFetched(manifest: String, reason: String)
    /// Cargo cannot get the crates that a crate needs, and says why.
    case cratesNotFetched(manifest: String, reason: String)
    /// SwiftPM's list of commands does not say how it compiles a target, or links a library.
    case unknownCommands(file: String, target: String)
    case noCrate(manifest: String)
    /// A package has a copy of the interface linked in.
    case carriesInterface(folder: String)

    /// The place that a Swift module has in the project if the compiler does not find it.
    package enum MissingModule: Hashable, Sendable {
        /// An interface module, which `module.json` does not name.
        case interface(id: String)
        /// An interface module that belongs to another module, and that this one must not name.
        case ownedInterface(id: String, ForeignOwner)
        case module(id: String)
        case ofEaves
        case unknown
    }

    /// Whether something is not installed that this module alone needs.
    var isNotInstalled: Bool {
        switch self {
        case .missingLibraries, .missingHeader, .missingPackages, .badPackages, .noPkgConfig,
            .noCargo, .noCCompiler, .noPackageManager:
            true
        default: false
        }
    }
}

// MARK: - Words

extension DependencyProblem {
    /// The problem in the words of a message, without the module's id.
    var what: String {
        switch self {
        case .missingLibraries(let names) where names.count == 1:
            "the C library '\(names[0])' is not installed (lib\(names[0]).so)"
        case .missingLibraries(let names):
            "the C libraries \(Self.list(names)) are not installed"
        case .missingHeader(let header): "the header '\(header)' is not installed"
        case .ownHeader(let header, let folder):
            "the header '\(header)' is in the folder '\(folder)', which module.json does not name"
        case .hiddenHeader(let header, let package):
            "the header '\(header)' is in a folder of its own, which module.json does not name: it is of '\(package)'"
        case .missingPackages(let names) where names.count == 1:
            "pkg-config knows no package '\(names[0])': it is not installed"
        case .missingPackages(let names):
            "pkg-config knows no packages \(Self.list(names)): they are not installed"
        case .badPackages(let names, let reason):
            "pkg-config cannot say how to use \(Self.list(names)): \(reason.indented)"
        case .noPkgConfig: "no pkg-config in PATH"
        case .noCCompiler: "no C compiler: neither clang nor cc is in PATH"
        case .noSuchModule(let name, .interface(let id)):
            "imports '\(name)' of the interface module '\(id)', which its module.json does not name"
        case .noSuchModule(let name, .ownedInterface(let id, let owner)):
            "imports '\(name)' of the interface module '\(id)', \(owner.claim)"
        case .noSuchModule(let name, .module(let id)):
            "imports '\(name)', which is the module '\(id)': modules do not import one another"
        case .noSuchModule(let name, .ofEaves):
            "imports '\(name)', which is not for modules"
        case .noSuchModule(let name, .unknown): "there is no Swift module '\(name)' to import"
        case .noPackageManager: "no SwiftPM: swift is not in PATH"
        case .noCargo: "no Rust: cargo is not in PATH"
        case .noTool(let name): "the Swift toolchain has no '\(name)'"
        case .toolFailed(let name, let reason): "'\(name)' failed: \(reason)"
        case .badManifest(let file, let reason): "\(file) is not valid: \(reason.indented)"
        case .noProduct(let manifest, let dynamic, let others, _) where dynamic.isEmpty:
            "\(manifest): expected a product that is a dynamic library, found "
                + (others.isEmpty ? "none" : Self.list(others))
        case .noProduct(let manifest, let dynamic, _, _):
            "\(manifest): expected one dynamic library, or one that is named like the folder or the "
                + "module; found \(Self.list(dynamic))"
        case .noModule(let name, let product, let modules, let isNamed):
            (isNamed
                ? "module.json names the Swift module '\(name)'" : "the folder is named '\(name)'")
                + ", and the library '\(product)' has \(Self.list(modules))"
        case .carriesModule(let module, let id, let folder):
            "the package in \(folder) has \(module) linked in, which the interface module '\(id)' brings: its types "
                + "would be two types"
        case .noEvolution(let file):
            "a package that it brings does not compile for library evolution, which an interface module needs (\(file))"
        case .notFetched(let manifest, let reason):
            "SwiftPM could not fetch the packages that \(manifest) names, directly or not: \(reason)"
        case .cratesNotFetched(let manifest, let reason):
            "Cargo could not get the crates that \(manifest) names, directly or not: \(reason)"
        case .unknownCommands(let file, let target):
            "\(file) does not say how SwiftPM makes '\(target)', as that of Swift 6.3 does"
        case .noCrate(let manifest): "\(manifest): expected a library of the crate-type 'cdylib'"
        case .carriesInterface(let folder):
            "the package in \(folder) has EavesInterface linked in, whose types would not be the host's"
        }
    }

    var fix: String {
        switch self {
        case .missingLibraries(let names):
            Self.install(names.map { DebianPackage.byLibrary[$0] })
                ?? "install it with its headers, or correct 'link' in module.json"
        case .missingHeader(let header):
            Self.install([DebianPackage.package(ofHeader: header)])
                ?? "install the library that it belongs to, or correct its path in the sources"
        case .ownHeader(_, let folder): "name it in module.json: \"include\": [\"\(folder)\"]"
        case .hiddenHeader(_, let package):
            "name it in module.json: \"pkgConfig\": [\"\(package)\"]"
        case .missingPackages(let names):
            Self.install(names.map(DebianPackage.package(ofPkgConfig:)))
                ?? "install what brings their '.pc' files, or correct 'pkgConfig' in module.json; "
                + "'pkg-config --list-all' shows what there is"
        case .badPackages: "install what it names"
        case .noPkgConfig: "install it; on Debian and Ubuntu, 'apt install pkgconf'"
        case .noCCompiler: "install clang, or the whole Swift toolchain"
        case .noSuchModule(_, .interface(let id)):
            "add it to module.json: \"interfaces\": [\"\(id)\"]"
        case .noSuchModule(_, .ownedInterface): ForeignOwner.fix
        case .noSuchModule(_, .module):
            "put what both use into a module of the layer 'interface', and name that one in "
                + "\"interfaces\" of both"
        case .noSuchModule(_, .ofEaves):
            "import EavesInterface; tests outside of the module's folder can import EavesTesting"
        case .noSuchModule(let name, .unknown):
            """
            if it is an interface module, add its id to "interfaces" in module.json;
                if it is of a Swift package, make the folder a package with a Package.swift that depends on it;
                if it is a C library, write module.modulemap into the folder, and name the library in "link":
                    module \(name) { header "\(name).h" export * }
            """
        case .noPackageManager: "install the whole Swift toolchain"
        case .noCargo: "install Rust from rustup.rs; on Debian and Ubuntu, 'apt install cargo'"
        case .noTool: "install the whole toolchain from swift.org"
        case .toolFailed: "check whether the module compiles with 'eaves build --force'"
        case .badManifest: "correct it; 'swift package describe' or 'cargo metadata' checks it"
        case .noProduct(_, let dynamic, _, let target) where dynamic.isEmpty:
            "add one: .library(name: \"\(target)\", type: .dynamic, targets: [\"\(target)\"])"
        case .noProduct: "name one of them like the folder"
        case .noModule: "write the name of one of them into module.json: \"module\": …"
        case .noEvolution:
            "take the package out of the interface module: let each module have a copy of its own, and pass types of the "
                + "interface between them"
        case .carriesModule(let module, let id, _):
            "remove the dependency that has \(module) from its Package.swift: 'import \(module)' finds that of '\(id)'; "
                + "or remove '\(id)' from \"interfaces\""
        case .notFetched:
            "correct what SwiftPM names, or build again when the network can be reached"
        case .cratesNotFetched:
            "correct what Cargo names, or build again when the network can be reached"
        case .unknownCommands: "build it with the toolchain of Swift 6.3"
        case .noCrate: "add these lines: [lib] and crate-type = [\"cdylib\"]"
        case .carriesInterface:
            "remove the dependency on Eaves from its Package.swift: eaves build gives it the interface"
        }
    }

    var code: FailureCode {
        switch self {
        case .notFetched, .cratesNotFetched: .inputOutput
        case .unknownCommands: .incompatible
        case .noTool: .notFound
        case .toolFailed: .crashed
        default: isNotInstalled ? .notFound : .badData
        }
    }

    private static func list(_ names: [String]) -> String {
        names.map { "'\($0)'" }.joined(separator: ", ")
    }

    /// How to install a package of Debian, if it is known.
    private static func install(_ packages: [String?]) -> String? {
        var known: [String] = []
        for case let name? in packages where !known.contains(name) { known.append(name) }
        return known.isEmpty
            ? nil : "on Debian and Ubuntu, 'apt install \(known.joined(separator: " "))'"
    }
}

/// The names of the Debian packages with the headers and libraries that modules commonly use.
///
/// The list is short, and says nothing about a library that it does not know: a wrong name would be worse than none.
/// Each package was looked up in Debian 12 (bookworm), with `apt-cache policy`; of those that were installed there,
/// also that they have the libraries and headers. `libjpeg-dev` brings both through a package that it depends on.
private enum DebianPackage {
    /// The package by a library, such as `libsqlite3-dev` for `sqlite3`.
    static let byLibrary = [
        "archive": "libarchive-dev", "bz2": "libbz2-dev", "crypto": "libssl-dev",
        "curl": "libcurl4-openssl-dev", "edit": "libedit-dev", "event": "libevent-dev",
        "expat": "libexpat1-dev", "ffi": "libffi-dev", "form": "libncurses-dev",
        "formw": "libncurses-dev", "git2": "libgit2-dev", "glib-2.0": "libglib2.0-dev",
        "gmp": "libgmp-dev", "jpeg": "libjpeg-dev", "lzma": "liblzma-dev",
        "menu": "libncurses-dev", "menuw": "libncurses-dev", "microhttpd": "libmicrohttpd-dev",
        "ncurses": "libncurses-dev", "ncursesw": "libncurses-dev", "panel": "libncurses-dev",
        "panelw": "libncurses-dev", "pcre2-8": "libpcre2-dev", "png": "libpng-dev",
        "pq": "libpq-dev", "readline": "libreadline-dev", "SDL2": "libsdl2-dev",
        "sodium": "libsodium-dev", "sqlite3": "libsqlite3-dev", "ssl": "libssl-dev",
        "systemd": "libsystemd-dev", "tinfo": "libncurses-dev", "udev": "libudev-dev",
        "usb-1.0": "libusb-1.0-0-dev", "uuid": "uuid-dev", "uv": "libuv1-dev",
        "xml2": "libxml2-dev", "yaml": "libyaml-dev", "z": "zlib1g-dev", "zstd": "libzstd-dev",
    ]

    /// The package by a header, or by the folder that a header is in.
    private static let byHeader = [
        "archive.h": "libarchive-dev", "bzlib.h": "libbz2-dev", "curl": "libcurl4-openssl-dev",
        "curses.h": "libncurses-dev", "editline": "libedit-dev", "event2": "libevent-dev",
        "expat.h": "libexpat1-dev", "ffi.h": "libffi-dev", "git2.h": "libgit2-dev",
        "glib.h": "libglib2.0-dev", "gmp.h": "libgmp-dev", "histedit.h": "libedit-dev",
        "jpeglib.h": "libjpeg-dev", "libpq-fe.h": "libpq-dev", "libudev.h": "libudev-dev",
        "libusb.h": "libusb-1.0-0-dev", "libxml": "libxml2-dev", "lzma.h": "liblzma-dev",
        "microhttpd.h": "libmicrohttpd-dev", "ncurses.h": "libncurses-dev",
        "ncursesw": "libncurses-dev", "openssl": "libssl-dev", "pcre2.h": "libpcre2-dev",
        "png.h": "libpng-dev", "readline": "libreadline-dev", "SDL2": "libsdl2-dev",
        "sodium.h": "libsodium-dev", "sqlite3.h": "libsqlite3-dev", "systemd": "libsystemd-dev",
        "uuid": "uuid-dev", "uv.h": "libuv1-dev", "yaml.h": "libyaml-dev",
        "zlib.h": "zlib1g-dev", "zstd.h": "libzstd-dev",
    ]

    /// Headers of C++ that every program in it uses, of those whose names have no ending.
    private static let cxxHeaders: Set<String> = [
        "algorithm", "array", "atomic", "chrono", "cstdint", "cstdio", "cstdlib", "cstring",
        "functional", "iostream", "map", "memory", "mutex", "optional", "set", "span", "sstream",
        "stdexcept", "string", "string_view", "thread", "tuple", "type_traits", "unordered_map",
        "utility", "variant", "vector",
    ]

    /// The package with a `.pc` file, such as `libxml2-dev` for `libxml-2.0`; `nil` if it is not known.
    static func package(ofPkgConfig name: String) -> String? {
        byPkgConfig[name] ?? byLibrary[name]
            ?? (name.hasPrefix("lib") ? byLibrary[String(name.dropFirst(3))] : nil)
    }

    /// The package by the name of a `.pc` file that is not that of the library.
    private static let byPkgConfig = [
        "libxml-2.0": "libxml2-dev", "openssl": "libssl-dev", "sdl2": "libsdl2-dev",
        "yaml-0.1": "libyaml-dev", "zlib": "zlib1g-dev",
    ]

    /// The package with a header, such as `libsqlite3-dev` for `sqlite3.h`, or for `/usr/include/sqlite3.h`;
    /// `nil` if it is not known.
    static func package(ofHeader header: String) -> String? {
        let parts = header.split(separator: "/").map(String.init)
        if parts.count == 1, cxxHeaders.contains(header) { return "g++" }
        return parts.firstNonNil { byHeader[$0] }
    }
}
