// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
package import EavesDiagnostics
package import EavesELF
package import EavesProcess
package import EavesSystem
package import EavesTrust

/// The reason why a module was not built. Its old file, if there is one, is unchanged.
package struct BuildError: Error, Hashable, Sendable {
    package enum Cause: Hashable, Sendable {
        case noFolder
        case notAFolder
        /// Others can change what the module would be built from.
        case untrusted(TrustError)
        case noDeclaration
        case declaration(DeclarationError)
        /// `module.json` has another id than the module that was asked for.
        case otherID(found: String)
        case noSources(folder: String)
        /// The module has this file, and no sources here.
        case noSourcesHere(file: String)
        /// The module was to be an interface module.
        case notAnInterface(Layer)
        case badBaseline(String)
        /// The version that a person asks for is not the one that follows from the changes of an interface; `nil` if
        /// there is no baseline, and the text is not a version of an interface.
        case wrongVersion(given: String, following: InterfaceVersion?)
        /// Something is wrong with the interfaces that the module names, or with its services. Never empty.
        case interfaces([InterfaceUseProblem])
        /// The Swift module that is named like the folder would have the name of an existing one.
        case reservedName(folder: String, name: String)
        case entry(EntryProblem)
        /// Something that the module depends on is missing, or not usable.
        case dependency(DependencyProblem)

        /// - Parameter named: The value of `EAVES_SWIFTC`, if it is set.
        case noCompiler(named: String?)
        case untrustedCompiler(TrustError)
        case unusableCompiler(path: String, reason: String)
        case otherCompiler(path: String, found: String, expected: String)
        case noSDK(searched: [String])
        case damagedSDK(path: String, missing: String)

        /// The linked file has another note than the one that is made of `module.json`.
        case otherNote(folder: String)

        case compilation
        case crash(path: String, ending: ChildEnding)
        /// The compiler could not write its files, which are next to the output, or its cache.
        case compilerCannotWrite(output: String, Errno)
        case badBinary(ELFError)
        case unsteady(file: String)

        /// Two folders would be built into the same file.
        case sameOutput(output: String, other: String)
        case outputIsFolder(String)
        /// The output that a person has named is a file that is not this module.
        case outputIsOther(String)
        /// The output that a person has named is in a folder that does not exist.
        case noOutputFolder(String)
        case unwritable(SystemError)
        case unreadable(SystemError)
        case interrupted(signal: Int32)
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

    /// Whether something is not installed that this module alone needs. If all modules are built, this one is left out.
    package var isMissingDependency: Bool {
        if case .dependency(let problem) = cause { problem.isNotInstalled } else { false }
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
    package var replacesOutput: Bool {
        switch cause {
        case .entry(.badModuleType), .dependency(.missingHeader), .dependency(.hiddenHeader),
            .dependency(.ownHeader):
            true
        default: false
        }
    }
}

// MARK: - Words

extension BuildError: DiagnosableList {
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
        case .noSourcesHere(let file): "it has no sources here, only its file \(file)"
        case .notAnInterface(let layer):
            "expected an interface module, found one of the layer '\(layer.rawValue)'"
        case .badBaseline(let reason): "not a baseline: \(reason)"
        case .wrongVersion(let given, let following?):
            "expected a version \(following), which follows from the changes, found \(given.quoted)"
        case .wrongVersion(let given, nil):
            "expected a version that begins with two numbers, found \(given.quoted)"
        case .reservedName(let folder, let name):
            "the folder's name makes the Swift module '\(name)', which exists already (\(folder))"
        case .entry(let problem): problem.what
        case .dependency(let problem): problem.what
        case .noCompiler(let named?): "no Swift compiler: EAVES_SWIFTC is '\(named)', not a program"
        case .noCompiler(nil): "no Swift compiler: swiftc is not in PATH"
        case .untrustedCompiler(let error): "will not run \(error.diagnostic.message)"
        case .unusableCompiler(let path, let reason): "cannot use \(path): \(reason)"
        case .otherCompiler(let path, let found, let expected):
            "expected Swift \(expected), which built this host, found \(found) (\(path))"
        case .noSDK(let searched):
            "nothing to build against: no EavesInterface in \(searched.joined(separator: ", "))"
        case .damagedSDK(let path, let missing): "\(path) is damaged: \(missing) is missing"
        case .otherNote(let folder):
            "the linked file has another note than the one of module.json: the sources in \(folder) "
                + "have one, too"
        case .compilation: "does not compile"
        case .crash(let path, let ending): "the compiler crashed with \(ending) (\(path))"
        case .compilerCannotWrite(let output, let errno):
            "the compiler could not write its files next to \(output): \(errno)"
        case .badBinary(let problem): "the linked file is not a module: \(problem.message)"
        case .unsteady(let file): "\(file) kept changing while it was compiled"
        case .sameOutput(let output, let other): "\(output) is already built from \(other)"
        case .outputIsFolder(let path): "cannot create \(path): it is a folder"
        case .outputIsOther(let path):
            "cannot create \(path): it exists, and is not the module '\(subject)'"
        case .noOutputFolder(let path): "cannot create a file in \(path): there is no such folder"
        case .unwritable(let error), .unreadable(let error):
            "cannot \(error.action.rawValue) \(error.path): \(error.errno)"
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
        case .noSourcesHere(let file):
            "name the folder of its sources: 'eaves build FOLDER -o \(file.shellPath)'"
        case .notAnInterface: "name a module of the layer 'interface'"
        case .badBaseline:
            "restore it from the repository; or remove it, and write a new one with "
                + "'eaves interface bump'"
        case .wrongVersion(_, let following?): "write '--to \(following).0', or leave it out"
        case .wrongVersion(_, nil): "write one such as 1.0.0"
        case .otherID(let found): "build it as '\(found)', or correct its id"
        case .reservedName: "rename the folder"
        case .entry(let problem): problem.fix
        case .dependency(let problem): problem.fix
        case .noCompiler(let named):
            named == nil
                ? "install Swift from swift.org, or set EAVES_SWIFTC to the path of swiftc"
                : "set EAVES_SWIFTC to the path of swiftc, or unset it"
        case .untrusted(let error), .untrustedCompiler(let error): error.diagnostic.fix
        case .unusableCompiler: "check whether 'swiftc --version' works"
        case .otherCompiler: "put that compiler first in PATH, or set EAVES_SWIFTC to its path"
        case .noSDK: "run the eaves that 'swift build' made, or install lib/eaves next to its bin"
        case .damagedSDK: "build the host again with 'swift build'"
        case .unsteady: "build again when no program writes to it"
        case .sameOutput: "give each of them its own id, or its own output"
        case .outputIsFolder, .outputIsOther: "name another file with -o"
        case .noOutputFolder: "create the folder, or name another one with -o"
        case .unwritable(let error), .unreadable(let error): error.diagnostic.fix
        case .otherNote: "remove EAVES_MODULE_NOTE from the sources: eaves build makes the note"
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

    private var code: FailureCode {
        switch cause {
        case .noFolder, .notAFolder, .noDeclaration, .noCompiler, .noSDK, .noSourcesHere: .notFound
        case .dependency(let problem): problem.code
        case .untrusted, .untrustedCompiler: .untrusted
        case .otherCompiler: .incompatible
        case .interfaces(let problems): problems.first?.diagnostic(of: subject).code ?? .badData
        case .crash, .unusableCompiler: .crashed
        case .outputIsFolder, .outputIsOther, .noOutputFolder, .unwritable, .compilerCannotWrite:
            .cannotCreate
        case .unreadable(let error): error.diagnostic.code
        case .unsteady, .interrupted: .inputOutput
        case .declaration, .otherID, .noSources, .reservedName, .entry, .damagedSDK, .compilation,
            .badBinary, .sameOutput, .otherNote, .notAnInterface, .badBaseline, .wrongVersion:
            .badData
        }
    }
}

package typealias BuildCause = BuildError.Cause

extension BuildCause {
    /// The cause for a place that a build writes to.
    package static func place(_ error: PlaceError) -> BuildCause {
        switch error {
        case .system(let error): .unwritable(error)
        case .untrusted(let error): .untrusted(error)
        }
    }

    package static func source(_ error: PlaceError) -> BuildCause {
        if case .system(let error) = error { .unreadable(error) } else { .place(error) }
    }
}

extension BuildError {
    /// Runs `body`, and wraps its error in one about a module.
    package static func about<Value: ~Copyable, Failure: Error>(
        _ subject: String, _ cause: (Failure) -> Cause,
        _ body: @autoclosure () throws(Failure) -> Value
    ) throws(BuildError) -> Value {
        do throws(Failure) { return try body() } catch { throw BuildError(subject, cause(error)) }
    }
}

/// Modules that were not built.
package struct BuildErrors: DiagnosableList, Hashable, Sendable {
    /// Never empty. Those that only say that an interface was not built stand behind those that say why.
    package let errors: [BuildError]

    package init(_ errors: [BuildError]) {
        self.errors = errors.filter { !$0.isConsequence } + errors.filter(\.isConsequence)
    }

    package var diagnostics: [Diagnostic] { errors.flatMap(\.diagnostics) }
}

extension BuildError {
    fileprivate var isConsequence: Bool {
        guard case .interfaces(let problems) = cause else { return false }
        return problems.allSatisfy { if case .notBuilt = $0 { true } else { false } }
    }
}

/// The reason why a module gets no entry point.
package enum EntryProblem: Hashable, Sendable {
    /// The sources have no entry point, and not the type that one could be added for.
    ///
    /// - Parameters:
    ///   - isNamed: Whether `module.json` names the expected type.
    ///   - others: The types that the sources do have.
    case noModuleType(folder: String, expected: String, isNamed: Bool, others: [String])
    /// The compiler does not accept the type in the entry point that the build adds.
    ///
    /// - Parameter place: The file and the line that declare the type.
    case badModuleType(name: String, place: String, reason: String)
    /// The linked file has no entry point, although a source seems to define it.
    ///
    /// - Parameter type: The type that the build would add an entry point for.
    case undefined(folder: String, type: String)
    /// No source in C or Rust defines the entry point.
    case undefinedInC(folder: String)
}

// MARK: - Words

extension EntryProblem {
    /// The problem in the words of a message, without the module's id.
    var what: String {
        switch self {
        case .noModuleType(let folder, let expected, let isNamed, _):
            "expected a type '\(expected)'\(isNamed ? " (named in module.json)" : "") that conforms "
                + "to Module, or the function \(BinaryReport.entryName), in \(folder); found neither"
        case .badModuleType(let name, let place, let reason):
            reason.hasSuffix("conform to 'Module'")
                ? "'\(name)' does not conform to Module (\(place))"
                : "'\(name)' cannot be registered: \(reason) (\(place))"
        case .undefined(let folder, _):
            "the code in \(folder) that names \(BinaryReport.entryName) does not define it"
        case .undefinedInC(let folder):
            "expected the function \(BinaryReport.entryName) in \(folder); found none"
        }
    }

    var fix: String {
        switch self {
        case .noModuleType(_, let expected, _, let others):
            Self.fix(forMissing: expected, others: others)
        case .badModuleType(let name, _, _):
            "declare '\(name)' without generic parameters, visible in the whole module, and with "
                + "': Module', or name another type in module.json with \"entry\""
        case .undefined(_, let type):
            """
            remove it, and 'eaves build' adds it for the type '\(type)'; or define it like this:

                import CEaves
                import EavesInterface

                @c(eaves_register)
                public func eavesRegister(_ host: UnsafePointer<eaves_host>) -> Int32 {
                    register(\(type).self, with: host)
                }
            """
        case .undefinedInC:
            """
            define it, as in this source in C:

                #include "eaves.h"

                int32_t eaves_register(const eaves_host *host) {
                    return 0;
                }
            """
        }
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
}
