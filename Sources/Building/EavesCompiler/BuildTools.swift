// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesChild
package import EavesDeclaration
package import EavesJSON
import EavesDiagnostics
package import EavesProcess
import EavesSystem
import EavesTrust

/// The SDK and the compiler that all compilations of one build share.
package struct BuildTools: Sendable {
    package let sdk: SDK
    package let sdkContent: SDKContent
    package let versions: (abi: Int, interface: InterfaceVersion)
    package let toolchain: Toolchain
    package let compiler: Compiler
    /// Taken before the compiler was run for its description.
    package let compilerIdentity: BuildIdentity?
    /// The digest of a program around the compiler, if there is one.
    package let wrapperDigest: String?
    /// The signals that end a build while one of the programs runs.
    let interrupts: Interrupts?

    /// - Throws: If the SDK or the compiler is missing or damaged, or the compiler is of another
    ///   series than the one that built the SDK.
    package init(
        _ sdk: SDK, _ toolchain: Toolchain, interrupts: Interrupts?
    ) throws(BuildError) {
        self.interrupts = interrupts
        self.sdk = sdk
        sdkContent = try SDKContent(sdk)
        versions = try sdk.versions()
        self.toolchain = toolchain
        try toolchain.checkTrust()
        compilerIdentity = toolchain.identity
        wrapperDigest = toolchain.wrapperDigest
        // A program around the compiler may say something else each time.
        compiler = try Compiler.described(
            toolchain, wrapperDigest == nil ? compilerIdentity : nil, interrupts: interrupts)
        if let expected = sdkContent.compilerVersion,
            Compiler.series(of: expected) != Compiler.series(of: compiler.version)
        {
            throw BuildError(
                "eaves",
                .otherCompiler(
                    path: toolchain.swiftc, found: compiler.version, expected: expected))
        }
    }
}

/// The programs of the Swift toolchain and of the machine that make a module.
extension BuildTools {
    /// The C compiler: the toolchain's own, which links every module in Swift, too; else the first `clang`
    /// or `cc` in `PATH`.
    package func clang(for subject: String) throws(BuildError) -> String {
        let own = compiler.toolFolder.map { Path.join($0, "clang") }
        return try tool([own, "clang", "cc"], .noCCompiler, for: subject)
    }

    /// The program `swift` of the toolchain, which runs SwiftPM.
    package func swift(for subject: String) throws(BuildError) -> String {
        let own = compiler.toolFolder.map { Path.join($0, "swift") }
        return try tool([own, "swift"], .noPackageManager, for: subject)
    }

    package func cargo(for subject: String) throws(BuildError) -> String {
        try tool(["cargo"], .noCargo, for: subject)
    }

    func pkgConfig(for subject: String) throws(BuildError) -> String {
        try tool(["pkg-config", "pkgconf"], .noPkgConfig, for: subject)
    }

    private func tool(
        _ names: [String?], _ missing: DependencyProblem, for subject: String
    ) throws(BuildError) -> String {
        let finder = ToolFinder(searchPath: toolchain.environment["PATH"])
        guard let path = names.firstNonNil({ $0.flatMap(finder.first) }) else {
            throw BuildError(subject, .dependency(missing))
        }
        if let error = finder.trustError(of: path) {
            throw BuildError(subject, .untrustedCompiler(error))
        }
        return path
    }

    /// Runs a program that describes a package or a crate, and may print warnings before that.
    ///
    /// - Throws: If it does not end well. The error has what it printed.
    package func description(
        by program: String, _ command: ChildCommand, for subject: String, shown: String
    ) throws(BuildError) -> JSONNode {
        let report = try Self.report(of: command, for: subject, interrupts)
        var reason = "\(program) printed no description of it"
        if report.ending.isSuccess {
            let start = report.output.firstIndex(of: UInt8(ascii: "{")) ?? 0
            if let root = try? JSONNode.parse(Array(report.output[start...])) { return root }
        } else {
            reason = String(decoding: report.output, as: UTF8.self)
        }
        throw BuildError(subject, .dependency(.badManifest(file: shown, reason: reason)))
    }

    /// Runs a program that describes something, until it ends, well or not.
    static func report(
        of command: ChildCommand, for subject: String, _ interrupts: Interrupts?
    ) throws(BuildError) -> ChildReport {
        let report = try BuildError.about(
            subject,
            { (error: SystemError) in
                .unusableCompiler(path: command.executable, reason: error.errno.description)
            },
            try ChildPool.run(command, interrupts: interrupts))
        if let signal = interrupts?.signal {
            throw BuildError(subject, .interrupted(signal: signal))
        }
        return report
    }
}
