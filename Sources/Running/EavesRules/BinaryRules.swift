// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
package import EavesDiagnostics
import EavesELF
package import EavesLoader

/// The table of all rules about a module's binary, in the order in which `eaves verify` checks every row.
///
/// A launch reads it for the rows of its steps, the demands first, which stand last. `eaves inspect` reports the same
/// problems without loading. A new rule is a row here and a function in one of the files with checks.
/// ``InspectedModule`` says what a check can look at.
package enum BinaryRules {
    package static let all: [BinaryRule] = [
        BinaryRule(
            "elf-readable", "the file is there, and is a whole shared object", launch: .scan,
            check: InspectedModule.checkFile),
        BinaryRule(
            "permissions", "only its owner, who is trusted, can put another file in its place",
            presupposes: ["elf-readable"], launch: .scan,
            check: InspectedModule.checkOwner),
        BinaryRule(
            "machine", "it is built for this machine",
            presupposes: ["elf-readable"], launch: .scan,
            check: InspectedModule.checkMachine),
        BinaryRule(
            "note-present", "it has the note that tells which module it is",
            presupposes: ["machine"], launch: .scan,
            check: InspectedModule.checkNoteIsPresent),
        BinaryRule(
            "note-valid", "its note can be read in full",
            presupposes: ["note-present"], launch: .scan,
            check: InspectedModule.checkNote),
        BinaryRule(
            "abi-version", "it is built for this host's version of the C ABI",
            presupposes: ["note-present"], launch: .scan,
            check: InspectedModule.checkABI),
        BinaryRule(
            "interface-version",
            "it is built for this host's interface, or an earlier minor version",
            presupposes: ["note-present"], launch: .scan,
            check: InspectedModule.checkInterfaceVersion),
        BinaryRule(
            "compiler", "it is built with a compiler of this host's Swift series",
            presupposes: ["note-present"], launch: .scan,
            check: InspectedModule.checkCompiler),
        BinaryRule(
            "manifest-entry",
            "no other module has its id, and nothing in the manifest contradicts it",
            launch: .scan,
            check: InspectedModule.checkManifestEntry),
        BinaryRule(
            "quarantine", "it is not quarantined for earlier crashes",
            launch: .scan, isWarning: true,
            check: InspectedModule.checkQuarantine),
        BinaryRule(
            "interfaces",
            "the interfaces that it names are there, in the version that it was built against or a later "
                + "minor one",
            presupposes: ["note-valid"], launch: .scan,
            check: InspectedModule.checkInterfaces),
        BinaryRule(
            "named-interfaces", "it names every interface module that it uses",
            presupposes: ["machine"], check: InspectedModule.checkNamedInterfaces),
        BinaryRule(
            "interface-services", "the services that it declares are protocols of these interfaces",
            presupposes: ["interfaces"], check: InspectedModule.checkDeclaredServices),
        BinaryRule(
            "isolation", "it can run in a process of its own, if the manifest wants that",
            presupposes: ["interface-services"], check: InspectedModule.checkIsolation),
        BinaryRule(
            "entry-point",
            "it exports the function 'eaves_register', and an interface module does not",
            presupposes: ["machine"], check: InspectedModule.checkEntryPoint),
        BinaryRule(
            "interface-not-carried",
            "it contains no copy of an interface: the copy's types would not be the host's",
            presupposes: ["machine"], check: InspectedModule.checkInterfaceIsNotCarried),
        BinaryRule(
            "interface-symbols", "the interfaces have every symbol of them that it uses",
            presupposes: ["machine"], check: InspectedModule.checkInterfaceSymbols),
        BinaryRule(
            "requirements",
            "its types implement every requirement without a default of the protocols that they conform to",
            presupposes: ["interfaces"], check: InspectedModule.checkRequirements),
        BinaryRule(
            "library-paths",
            "its libraries are named without a path, and its run paths are absolute",
            presupposes: ["machine"], check: InspectedModule.checkLibraryPaths),
        BinaryRule(
            "library-trust", "only trusted users can change the libraries that it is linked to",
            presupposes: ["machine"], check: InspectedModule.checkLibraryTrust),
        BinaryRule(
            "executable-stack",
            "it leaves the stack not executable, or the manifest lets it do otherwise",
            presupposes: ["machine"], check: InspectedModule.checkExecutableStack),
        BinaryRule(
            "static-memory",
            "its variables of threads fit into the static memory that the dynamic linker has for all files",
            presupposes: ["machine"], check: InspectedModule.checkStaticMemory),
        BinaryRule(
            "needed-libraries", "the libraries that it is linked to are on this machine",
            presupposes: ["machine"], check: InspectedModule.checkLibraries),
        BinaryRule(
            "module-links", "it is linked to no other module",
            presupposes: ["machine"], check: InspectedModule.checkLinks),
        BinaryRule(
            "module-symbols", "it uses no symbol of another module",
            presupposes: ["machine"], launch: .explainingTheLinker,
            check: InspectedModule.checkSymbolsOfModules),
        BinaryRule(
            "symbols", "the host or a library has every symbol that it uses",
            presupposes: ["machine"], launch: .explainingTheLinker,
            check: InspectedModule.checkSymbols),
        BinaryRule(
            "library-symbols",
            "no library that it brings along defines what this process defines already",
            presupposes: ["needed-libraries"], launch: .none, isWarning: true,
            check: InspectedModule.checkLibrarySymbols),
        BinaryRule(
            "layer",
            "it keeps the direction core ← feature ← composition: it uses no interface that another module of "
                + "its layer or above owns, unless it is a composition, and, if it is a core module, no "
                + "service that only features or compositions provide",
            presupposes: ["note-valid"], check: InspectedModule.checkLayer),
        BinaryRule(
            "declared-needs", "it declares the services of other modules that it uses",
            presupposes: ["note-valid"], launch: .none, isWarning: true,
            check: InspectedModule.checkDeclaredNeeds),
        BinaryRule(
            "shared-code",
            "no other module carries a package that it carries: its types would be two types",
            presupposes: ["machine"], launch: .none, isWarning: true,
            check: InspectedModule.checkSharedCode),
        BinaryRule(
            "process-wide",
            "it defines nothing of which a process keeps the first, so that its next build would run with it",
            presupposes: ["machine"], launch: .none, isWarning: true,
            check: InspectedModule.checkProcessWideDefinitions),
        BinaryRule(
            "digest", "its SHA-256 is the one that the manifest pins",
            presupposes: ["elf-readable"], launch: .demands,
            check: InspectedModule.checkDigest),
        BinaryRule(
            "signature", "it is signed by a signer whom the manifest allows",
            presupposes: ["elf-readable"], launch: .demands,
            check: InspectedModule.checkSignature),
        BinaryRule(
            "version",
            "it is not older than the manifest asks, or, if signed, than one that was loaded before",
            presupposes: ["elf-readable"], launch: .demands,
            check: InspectedModule.checkVersion),
    ]

    // Filtered once: a launch reads them for every module that it loads.
    static let demands = all.filter { $0.launch == .demands }
    static let beforeLoading = all.filter { $0.launch == .beforeLoading }
    static let explainingTheLinker = all.filter { $0.launch == .explainingTheLinker }
}

/// One rule about a module's binary: an id, its meaning, and the check.
///
/// All rules stand in ``BinaryRules``. A check runs no code of the module and loads no library.
package struct BinaryRule: Sendable {
    /// Where a launch makes sure that the rule is kept.
    package enum LaunchStep: Hashable, Sendable {
        /// The catalog's scan finds the problem, so that the launch does not get as far as the file.
        case scan
        /// Checked on the private copy before anything else of it is read. The first problem counts.
        case demands
        /// Checked on the private copy before it is loaded. All problems are reported.
        case beforeLoading
        /// The dynamic linker looks up the same symbols before any code of the module runs. The rule
        /// costs more than that, so a launch asks it only to explain why the linker failed.
        case explainingTheLinker
        /// A module that breaks the rule can be launched.
        case none
    }

    /// Scripts name this id, so it never changes.
    package let id: String
    /// The claim that holds for a module which keeps the rule, in one line.
    package let meaning: String
    /// The ids of the rules without which this one has no meaning. They stand above it in the table.
    package let presupposes: [String]
    package let launch: LaunchStep
    /// Whether a module that breaks the rule passes all the same.
    package let isWarning: Bool
    private let check: Check

    typealias Check = @Sendable (InspectedModule) -> () throws(ELFError) -> RuleOutcome

    init(
        _ id: String, _ meaning: String, presupposes: [String] = [],
        launch: LaunchStep = .beforeLoading, isWarning: Bool = false, check: @escaping Check
    ) {
        self.id = id
        self.meaning = meaning
        self.presupposes = presupposes
        self.launch = launch
        self.isWarning = isWarning
        self.check = check
    }

    /// Checks a module. A binary that cannot be read is a problem of its own.
    package func outcome(for module: InspectedModule) -> RuleOutcome {
        do throws(ELFError) {
            return try check(module)()
        } catch {
            return .broken(.catalog(.binary(error)))
        }
    }

    func problem(of module: InspectedModule) -> BinaryProblem? {
        guard case .broken(let problem) = outcome(for: module) else { return nil }
        return problem
    }
}

package enum RuleOutcome: Hashable, Sendable {
    case kept
    case broken(BinaryProblem)
    /// The rule says nothing about this module, for this reason.
    case skipped(String)

    init(_ problem: BinaryProblem?) {
        self = problem.map { .broken($0) } ?? .kept
    }
}

// The questions that a launch asks the table.
extension InspectedModule {
    /// Checks the private copy of a module that is about to be loaded.
    ///
    /// - Throws: ``BinaryError`` with every problem that keeps it from being loaded. If the manifest's
    ///   demands are not met, or the binary cannot be read, that is the only problem.
    package func checkBeforeLoading() throws(BinaryError) {
        let problems = launchProblems(BinaryRules.beforeLoading)
        guard problems.isEmpty else { throw BinaryError(entry, problems) }
    }

    /// Checks whether the bytes are the ones that the manifest demands: their digest, their signature.
    ///
    /// - Throws: ``BinaryError`` with the first demand that is not met.
    package func checkDemands() throws(BinaryError) {
        if let problem = unmetDemand { throw BinaryError(entry, [problem]) }
    }

    /// The problems behind a failure of the dynamic linker, which names one symbol and does not tell whose it is.
    ///
    /// - Returns: `nil` if no rule knows more than the linker.
    package func explanation(of failure: LoadError) -> BinaryError? {
        guard case .undefinedSymbol = failure else { return nil }
        let problems = problems(BinaryRules.explainingTheLinker)
        return problems.isEmpty ? nil : BinaryError(entry, problems)
    }

    /// Every problem that a launch would find in the binary, including those that the dynamic linker
    /// would find. Empty if the catalog already knows a problem, or the module is disabled.
    package var launchDiagnostics: [Diagnostic] {
        guard entry.state == .ready else { return [] }
        let problems = launchProblems(BinaryRules.beforeLoading + BinaryRules.explainingTheLinker)
        return problems.isEmpty ? [] : BinaryError(entry, problems).diagnostics
    }

    /// The problems that rules find; the only one, if the manifest demands other bytes or the binary cannot be read: then all
    /// other questions are pointless.
    private func launchProblems(_ rules: [BinaryRule]) -> [BinaryProblem] {
        if let unmetDemand { return [unmetDemand] }
        if case .failure(let problem) = binary { return [.catalog(.binary(problem))] }
        return problems(rules)
    }

    /// The demands of the manifest that the bytes do not fulfil: a pin, a signature, a version. Empty if they fulfil
    /// all.
    package var demandDiagnostics: [Diagnostic] {
        unmetDemand.map { BinaryError(entry, [$0]).diagnostics } ?? []
    }

    private var unmetDemand: BinaryProblem? {
        BinaryRules.demands.firstNonNil { $0.problem(of: self) }
    }

    private func problems(_ rules: [BinaryRule]) -> [BinaryProblem] {
        rules.compactMap { $0.problem(of: self) }
    }
}
