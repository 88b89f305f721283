// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
package import EavesELF
package import EavesDiagnostics
package import EavesSystem
package import EavesTrust

/// The reason why a module was not built. Its old file, if there is one, is unchanged.
package struct BuildError: Error, Hashable, Sendable {
    package enum Cause: Hashable, Sendable {
        case noFolder
        case notAFolder
        /// Others can change what the module would be built from.
        case untrusted(TrustError)
        /// The folder has no `module.json`.
        case noDeclaration
        case declaration(DeclarationError)
        /// `module.json` has another id than the module that was asked for.
        case otherID(found: String)
        case noSources(folder: String)
        /// Something is wrong with the interfaces that the module names, or with its services. Never
        /// empty.
        case interfaces([InterfaceUseProblem])
        /// The Swift module that is named like the folder would have the name of an existing one.
        case reservedName(folder: String, name: String)
        /// The sources have no entry point, and not the type that one could be added for.
        ///
        /// - Parameters:
        ///   - isNamed: Whether `module.json` names the expected type.
        ///   - others: The types that the sources do have.
        case noModuleType(folder: String, expected: String, isNamed: Bool, others: [String])
        /// The compiler does not accept the type in the entry point that the build adds.
        ///
        /// - Parameters:
        ///   - place: The file and the line that declare the type.
        ///   - reason: The compiler's message.
        case badModuleType(name: String, place: String, reason: String)

        /// - Parameter named: The value of `EAVES_SWIFTC`, if it is set.
        case noCompiler(named: String?)
        /// Others can change the compiler.
        case untrustedCompiler(TrustError)
        /// The compiler does not describe itself.
        case unusableCompiler(path: String, reason: String)
        /// This host would refuse the compiler's modules.
        case otherCompiler(path: String, found: String, expected: String)
        case noSDK(searched: [String])
        case damagedSDK(path: String, missing: String)

        /// C libraries that the module is linked to are not installed.
        case missingLibraries([String])
        /// A header that the sources include is not installed, or not in the folder.
        case missingHeader(String)
        /// No source has the Swift module that another one imports. The compiler has printed where.
        case noSuchModule(name: String, MissingModule)
        /// There is no compiler for sources in C.
        case noCCompiler
        /// There is no `swift` to build a package with.
        case noPackageManager
        /// There is no `cargo` to build a crate with.
        case noCargo
        /// SwiftPM or Cargo cannot read its manifest.
        case badManifest(file: String, reason: String)
        /// A package has no library that could be the module.
        ///
        /// - Parameters:
        ///   - dynamic: The dynamic libraries, if there are several and none is named like the module.
        ///   - others: All products.
        ///   - target: A target that a library could be made of.
        case noProduct(manifest: String, dynamic: [String], others: [String], target: String)
        /// A crate is no `cdylib`.
        case noCrate(manifest: String)
        /// No source in C or Rust defines the entry point.
        case noEntryInC(folder: String)
        /// The linked file has another note than the one that is made of `module.json`.
        case otherNote(folder: String)
        /// The linked file has a copy of the interface.
        case carriesInterface(folder: String)

        /// The compiler found mistakes, and has printed them.
        case compilation
        case crash(path: String, ending: ChildEnding)
        /// The compiler could not write its files, which are next to the output, or its cache.
        case compilerCannotWrite(output: String, Errno)
        /// The linked file has no entry point, although a source seems to define it.
        ///
        /// - Parameter type: The type that the build would add an entry point for.
        case noEntry(folder: String, type: String)
        /// The linked file is not a shared object.
        case badBinary(ELFError)
        /// A file kept changing while it was compiled.
        case unsteady(file: String)

        /// Two folders would be built into the same file.
        case sameOutput(output: String, other: String)
        case outputIsFolder(String)
        /// The output that a person has named is a file that is not this module.
        case outputIsOther(String)
        /// The output that a person has named is in a folder that does not exist.
        case noOutputFolder(String)
        /// The output cannot be written.
        case unwritable(SystemError)
        case unreadable(SystemError)
        case interrupted(signal: Int32)
    }

    /// The place that a Swift module has in the project if the compiler does not find it.
    package enum MissingModule: Hashable, Sendable {
        /// An interface module, which `module.json` does not name.
        case interface(id: String)
        /// Another module.
        case module(id: String)
        /// A part of Eaves itself.
        case ofEaves
        case unknown
    }

    /// The module's id, or its folder while the id is not known.
    package var subject: String
    package var cause: Cause

    package init(_ subject: String, _ cause: Cause) {
        self.subject = subject
        self.cause = cause
    }

    /// Whether the sources of the module may be all right: this machine cannot build it, or the folder holds
    /// another module by now, or none. A launch then uses the old file, and says why.
    package var leavesOldFileInUse: Bool {
        switch cause {
        case .noCompiler, .untrustedCompiler, .unusableCompiler, .otherCompiler, .noSDK,
            .damagedSDK, .otherID, .noDeclaration:
            true
        default: isMissingDependency
        }
    }

    /// Whether something is not installed that this module alone needs. If all modules are built, this one is
    /// left out.
    package var isMissingDependency: Bool {
        switch cause {
        case .missingLibraries, .missingHeader, .noCargo, .noCCompiler, .noPackageManager: true
        default: false
        }
    }

    /// Says that a module is not built, because of this error, while others are.
    package var skipWarning: Diagnostic {
        Diagnostic("\(subject): skipped, because \(what)", fix: fix, code: code)
    }

    /// Says that a host uses a file that may be older than its sources, because of this error.
    ///
    /// - Parameters:
    ///   - file: The file, as messages show it.
    ///   - folder: The folder of the sources, as messages show it.
    package func warning(using file: String, from folder: String) -> Diagnostic {
        Diagnostic(
            "\(subject): using \(file) as it is, although \(folder) may have changed since: \(what)",
            fix: fix, code: code)
    }

    /// Whether the error says all that the compiler has printed.
    var replacesOutput: Bool {
        switch cause {
        case .badModuleType, .missingHeader: true
        default: false
        }
    }
}

// MARK: - Words

extension BuildError: Diagnosable {
    package var diagnostics: [Diagnostic] {
        switch cause {
        case .declaration(let error): error.diagnostics
        case .untrusted(let error): [error.diagnostic]
        case .interfaces(let problems): problems.map { $0.diagnostic(of: subject) }
        default: [Diagnostic("\(subject): \(what)", fix: fix, code: code)]
        }
    }

    private var what: String {
        switch cause {
        case .noFolder: "no such folder"
        case .notAFolder: "not a folder"
        case .untrusted(let error): error.diagnostic.message
        case .noDeclaration: "the folder has no module.json"
        case .declaration: "module.json is not valid"
        case .otherID(let found): "its module.json is that of the module '\(found)'"
        case .interfaces(let problems):
            problems.map { $0.diagnostic(of: subject).message }.joined(separator: "; ")
        case .noSources(let folder): "no sources in Swift, C or C++ in \(folder)"
        case .reservedName(let folder, let name):
            "the folder's name makes the Swift module '\(name)', which exists already (\(folder))"
        case .noModuleType(let folder, let expected, let isNamed, _):
            "expected a type '\(expected)'\(isNamed ? " (named in module.json)" : "") that conforms "
                + "to Module, or the function \(BinaryReport.entryName), in \(folder); found neither"
        case .badModuleType(let name, let place, let reason):
            reason.hasSuffix("conform to 'Module'")
                ? "'\(name)' does not conform to Module (\(place))"
                : "'\(name)' cannot be registered: \(reason) (\(place))"
        case .noCompiler(let named?): "no Swift compiler: EAVES_SWIFTC is '\(named)', not a program"
        case .noCompiler(nil): "no Swift compiler: swiftc is not in PATH"
        case .untrustedCompiler(let error): "will not run \(error.diagnostic.message)"
        case .unusableCompiler(let path, let reason): "cannot use \(path): \(reason)"
        case .otherCompiler(let path, let found, let expected):
            "expected Swift \(expected), which built this host, found \(found) (\(path))"
        case .noSDK(let searched):
            "nothing to build against: no EavesInterface in \(searched.joined(separator: ", "))"
        case .damagedSDK(let path, let missing): "\(path) is damaged: \(missing) is missing"
        case .missingLibraries(let names) where names.count == 1:
            "the C library '\(names[0])' is not installed (lib\(names[0]).so)"
        case .missingLibraries(let names):
            "the C libraries \(Self.list(names)) are not installed"
        case .missingHeader(let header): "the header '\(header)' is not installed"
        case .noSuchModule(let name, .interface(let id)):
            "imports '\(name)' of the interface module '\(id)', which its module.json does not name"
        case .noSuchModule(let name, .module(let id)):
            "imports '\(name)', which is the module '\(id)': modules do not import one another"
        case .noSuchModule(let name, .ofEaves):
            "imports '\(name)', which is not for modules"
        case .noSuchModule(let name, .unknown): "there is no Swift module '\(name)' to import"
        case .noCCompiler: "no C compiler: neither clang nor cc is in PATH"
        case .noPackageManager: "no SwiftPM: swift is not in PATH"
        case .noCargo: "no Rust: cargo is not in PATH"
        case .badManifest(let file, let reason): "\(file) is not valid: \(reason.indented)"
        case .noProduct(let manifest, let dynamic, let others, _) where dynamic.isEmpty:
            "\(manifest): expected a product that is a dynamic library, found "
                + (others.isEmpty ? "none" : Self.list(others))
        case .noProduct(let manifest, let dynamic, _, _):
            "\(manifest): expected one dynamic library, or one that is named like the folder or the "
                + "module; found \(Self.list(dynamic))"
        case .noCrate(let manifest): "\(manifest): expected a library of the crate-type 'cdylib'"
        case .noEntryInC(let folder):
            "expected the function \(BinaryReport.entryName) in \(folder); found none"
        case .otherNote(let folder):
            "the linked file has another note than the one of module.json: the sources in \(folder) "
                + "have one, too"
        case .carriesInterface(let folder):
            "the package in \(folder) has EavesInterface linked in, whose types would not be the host's"
        case .compilation: "does not compile"
        case .crash(let path, let ending): "the compiler crashed with \(ending) (\(path))"
        case .compilerCannotWrite(let output, let errno):
            "the compiler could not write its files next to \(output): \(errno)"
        case .noEntry(let folder, _):
            "the code in \(folder) that names \(BinaryReport.entryName) does not define it"
        case .badBinary(let problem): "the linked file is not a module: \(problem.message)"
        case .unsteady(let file): "\(file) kept changing while it was compiled"
        case .sameOutput(let output, let other): "\(output) is already built from \(other)"
        case .outputIsFolder(let path): "cannot create \(path): it is a folder"
        case .outputIsOther(let path):
            "cannot create \(path): it exists, and is not the module '\(subject)'"
        case .noOutputFolder(let path): "cannot create a file in \(path): there is no such folder"
        case .unwritable(let error): "cannot \(error.action.rawValue) \(error.path): \(error.errno)"
        case .unreadable(let error): "cannot \(error.action.rawValue) \(error.path): \(error.errno)"
        case .interrupted: "not built: interrupted"
        }
    }

    private var fix: String? {
        switch cause {
        case .noFolder, .notAFolder: "name a folder with a module.json and Swift sources"
        case .noDeclaration:
            """
            write one, such as
                { "id": "hello", "version": "1.0.0", "summary": "Says hello", "layer": "feature",
                  "features": [ { "name": "hello", "summary": "Say hello" } ] }
            """
        case .noSources: "add the module's sources"
        case .otherID(let found): "build it as '\(found)', or correct its id"
        case .reservedName: "rename the folder"
        case .noModuleType(_, let expected, _, let others):
            Self.fix(forMissing: expected, others: others)
        case .badModuleType(let name, _, _):
            "declare '\(name)' without generic parameters, visible in the whole module, and with "
                + "': Module', or name another type in module.json with \"entry\""
        case .noCompiler(let named):
            named == nil
                ? "install Swift from swift.org, or set EAVES_SWIFTC to the path of swiftc"
                : "set EAVES_SWIFTC to the path of swiftc, or unset it"
        case .untrusted(let error), .untrustedCompiler(let error): error.diagnostic.fix
        case .unusableCompiler: "check whether 'swiftc --version' works"
        case .otherCompiler: "put that compiler first in PATH, or set EAVES_SWIFTC to its path"
        case .noSDK: "run the eaves that 'swift build' made, or install lib/eaves next to its bin"
        case .damagedSDK: "build the host again with 'swift build'"
        case .noEntry(_, let type):
            """
            remove it, and 'eaves build' adds it for the type '\(type)'; or define it like this:

                import CEaves
                import EavesInterface

                @c(eaves_register)
                public func eavesRegister(_ host: UnsafePointer<eaves_host>) -> Int32 {
                    register(\(type).self, with: host)
                }
            """
        case .unsteady: "build again when no program writes to it"
        case .sameOutput: "give each of them its own id, or its own output"
        case .outputIsFolder, .outputIsOther: "name another file with -o"
        case .noOutputFolder: "create the folder, or name another one with -o"
        case .unwritable(let error), .unreadable(let error): error.diagnostics.first?.fix
        case .missingLibraries(let names):
            Self.install(names.map(DebianPackage.package(ofLibrary:)))
                ?? "install it with its headers, or correct 'link' in module.json"
        case .missingHeader(let header):
            Self.install([DebianPackage.package(ofHeader: header)])
                ?? "install the library that it belongs to, or correct its path in the sources"
        case .noSuchModule(_, .interface(let id)):
            "add it to module.json: \"interfaces\": [\"\(id)\"]"
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
        case .noCCompiler: "install clang, or the whole Swift toolchain"
        case .noPackageManager: "install the whole Swift toolchain"
        case .noCargo: "install Rust from rustup.rs; on Debian and Ubuntu, 'apt install cargo'"
        case .badManifest: "correct it; 'swift package describe' or 'cargo metadata' checks it"
        case .noProduct(_, let dynamic, _, let target) where dynamic.isEmpty:
            "add one: .library(name: \"\(target)\", type: .dynamic, targets: [\"\(target)\"])"
        case .noProduct: "name one of them like the folder"
        case .noCrate: "add these lines: [lib] and crate-type = [\"cdylib\"]"
        case .noEntryInC:
            """
            define it, as in this source in C:

                #include "eaves.h"

                int32_t eaves_register(const eaves_host *host) {
                    return 0;
                }
            """
        case .otherNote: "remove EAVES_MODULE_NOTE from the sources: eaves build makes the note"
        case .carriesInterface:
            "remove the dependency on Eaves from its Package.swift: eaves build gives it the interface"
        case .compilation: "correct what the compiler names above, and build again"
        case .compilerCannotWrite(_, .fileTooBig):
            "raise the limit on the size of files, 'ulimit -f', and build again"
        case .compilerCannotWrite:
            "free space on that disk, or on that of the file that the compiler names above, and "
                + "build again"
        case .crash: "build again; if it crashes again, report it to the makers of the compiler"
        case .interrupted: "build again"
        case .interfaces(let problems): problems.first?.diagnostic(of: subject).fix
        case .declaration, .badBinary: nil
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

    /// How to give the module a type that registers it.
    private static func fix(forMissing expected: String, others: [String]) -> String {
        var candidates = NearMatch.suggestions(for: expected, among: others)
        candidates += others.filter { $0.hasSuffix("Module") && !candidates.contains($0) }
        if let first = candidates.first {
            let list = candidates.map { "'\($0)'" }.joined(separator: ", ")
            return "name the type in module.json, as in \"entry\": \"\(first)\"; "
                + "the sources declare \(list)"
        }
        guard !expected.contains(".") else {
            return "declare it, or name another type in module.json with \"entry\""
        }
        return """
            declare it in one of the sources, or name another type in module.json with "entry":

                import EavesInterface

                enum \(expected): Module {
                    static func register(in registrar: any Registrar) throws {
                    }
                }
            """
    }

    private var code: FailureCode {
        switch cause {
        case .noFolder, .notAFolder, .noDeclaration, .noCompiler, .noSDK, .missingLibraries,
            .missingHeader, .noCCompiler, .noPackageManager, .noCargo:
            .notFound
        case .untrusted, .untrustedCompiler: .untrusted
        case .otherCompiler: .incompatible
        case .interfaces(let problems): problems.first?.diagnostic(of: subject).code ?? .badData
        case .crash, .unusableCompiler: .crashed
        case .outputIsFolder, .outputIsOther, .noOutputFolder, .unwritable, .compilerCannotWrite:
            .cannotCreate
        case .unreadable(let error): error.diagnostics.first?.code ?? .inputOutput
        case .unsteady, .interrupted: .inputOutput
        case .declaration, .otherID, .noSources, .reservedName, .noModuleType, .badModuleType,
            .damagedSDK, .compilation, .noEntry, .badBinary, .sameOutput, .noSuchModule,
            .badManifest, .noProduct, .noCrate, .noEntryInC, .otherNote, .carriesInterface:
            .badData
        }
    }
}

extension [BuildError] {
    /// The same errors; those that only say that an interface was not built stand behind those that say why.
    package var causesFirst: [BuildError] {
        filter { !$0.isConsequence } + filter(\.isConsequence)
    }
}

extension BuildError {
    fileprivate var isConsequence: Bool {
        guard case .interfaces(let problems) = cause else { return false }
        return problems.allSatisfy { if case .notBuilt = $0 { true } else { false } }
    }
}
