// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesProcess
import EavesSystem
import EavesTrust

/// The way in which the sources of a module become one shared object.
enum BuildMethod {
    /// Sources in Swift, with sources in C and C++ that are compiled before them, if there are any.
    case swift(EntryPoint, CSources)
    /// Sources in C and C++ alone.
    case c(CSources)
    /// A package, which SwiftPM builds.
    case package(PackageBuild, EntryPoint)
    /// A crate, which Cargo builds.
    case crate(CrateBuild)

    /// How the module gets its entry point; `nil` if only the linked file shows whether it has one.
    var entryPoint: EntryPoint? {
        switch self {
        case .swift(let entryPoint, _), .package(_, let entryPoint): entryPoint
        case .c, .crate: nil
        }
    }

    /// Whether the module may use the interface.
    var hasSwift: Bool {
        switch self {
        case .swift, .package: true
        case .c, .crate: false
        }
    }

    /// Whether all output of the compilers waits until the module is done, since the error may take its
    /// place: a header that is missing is told in one line.
    var holdsOutput: Bool {
        switch self {
        case .swift(_, let sources): !sources.files.isEmpty || !sources.moduleMaps.isEmpty
        case .c: true
        case .package, .crate: false
        }
    }

    /// Whether several compilers that report the same mistake are run for the same source.
    var repeatsMessages: Bool {
        if case .package = self { true } else { false }
    }

    /// The build program that compiles the module, and all that it depends on; `nil` for a compiler.
    var program: String? {
        switch self {
        case .package: "swift build"
        case .crate: "cargo build"
        case .swift, .c: nil
        }
    }

    /// The folder with what another build program has compiled, and takes again; `nil` if there is none.
    var scratch: String? {
        switch self {
        case .package(let package, _): package.scratch
        case .crate(let crate): crate.scratch
        case .swift, .c: nil
        }
    }

    /// The options that make a difference to the module.
    func flags(_ configuration: BuildConfiguration) -> [String] {
        switch self {
        case .swift(_, let sources):
            CompileCommand.flags(configuration)
                + (sources.files.isEmpty ? [] : CSources.flags(configuration))
        case .c: CSources.flags(configuration)
        case .package(let package, _): package.flags(configuration)
        case .crate: CrateBuild.flags(configuration)
        }
    }
}

/// The programs of the Swift toolchain and of the machine that make a module.
extension BuildTools {
    /// The C compiler: the toolchain's own, which links every module in Swift, too; else the first `clang`
    /// or `cc` in `PATH`.
    func clang(for subject: String) throws(BuildError) -> String {
        let own = compiler.toolFolder.map { Path.join($0, "clang") }
        return try tool([own, "clang", "cc"], .noCCompiler, for: subject)
    }

    /// The program `swift` of the toolchain, which runs SwiftPM.
    func swift(for subject: String) throws(BuildError) -> String {
        let own = compiler.toolFolder.map { Path.join($0, "swift") }
        return try tool([own, "swift"], .noPackageManager, for: subject)
    }

    /// The program `cargo` in `PATH`.
    func cargo(for subject: String) throws(BuildError) -> String {
        try tool(["cargo"], .noCargo, for: subject)
    }

    /// The program `pkg-config` in `PATH`.
    func pkgConfig(for subject: String) throws(BuildError) -> String {
        try tool(["pkg-config", "pkgconf"], .noPkgConfig, for: subject)
    }

    private func tool(
        _ names: [String?], _ missing: DependencyProblem, for subject: String
    ) throws(BuildError) -> String {
        let finder = ToolFinder(searchPath: toolchain.environment["PATH"])
        guard let path = names.lazy.compactMap({ $0.flatMap(finder.first) }).first else {
            throw BuildError(subject, .dependency(missing))
        }
        do throws(ToolError) {
            try finder.checkTrust(of: path)
        } catch {
            if case .untrusted(let reason) = error {
                throw BuildError(subject, .untrustedCompiler(reason))
            }
        }
        return path
    }

    /// Runs a program that describes a package or a crate. Returns its output.
    ///
    /// - Throws: If it does not end well. The error has what it printed.
    func output(
        of command: ChildCommand, for subject: String, shown: String
    ) throws(BuildError) -> [UInt8] {
        let report = try report(of: command, for: subject)
        guard report.ending.isSuccess else {
            let text = String(decoding: report.output, as: UTF8.self)
            throw BuildError(
                subject, .dependency(.badManifest(file: shown, reason: text)))
        }
        return report.output
    }

    /// Runs a program that tells something about a module's dependencies, until it ends, well or not.
    ///
    /// - Throws: If it cannot be started, or a signal ends the build.
    func report(of command: ChildCommand, for subject: String) throws(BuildError) -> ChildReport {
        let report: ChildReport
        do throws(SystemError) {
            report = try ChildPool.run(command, interrupts: interrupts)
        } catch {
            throw BuildError(
                subject,
                .unusableCompiler(path: command.executable, reason: error.errno.description))
        }
        if let signal = interrupts?.signal {
            throw BuildError(subject, .interrupted(signal: signal))
        }
        return report
    }
}
