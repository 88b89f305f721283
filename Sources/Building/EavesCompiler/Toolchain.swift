// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesChild
package import EavesDeclaration
import EavesDiagnostics
package import EavesJSON
package import EavesProcess
package import EavesSystem
import EavesTrust
import Synchronization

/// The path and the environment of the Swift compiler that builds modules.
package struct Toolchain: Hashable, Sendable {
    /// Absolute.
    package let swiftc: String
    package let environment: Environment

    /// The variable that names a compiler to use instead of the one in `PATH`.
    private static let variable = "EAVES_SWIFTC"

    /// Finds the compiler without running it, or asking who can change it: most launches only compare the compiler with
    /// that of the last build.
    ///
    /// The compiler looks for other tools itself, and gets only the entries of `PATH` that are used here.
    ///
    /// - Throws: If `EAVES_SWIFTC` names no program, or there is no `swiftc` in `PATH`.
    package static func locate(
        environment: Environment = .current
    ) throws(BuildError) -> Toolchain {
        let named = environment[variable].flatMap { $0.isEmpty ? nil : $0 }
        let finder = ToolFinder(searchPath: environment["PATH"])
        guard let path = finder.first(named ?? "swiftc") else {
            throw BuildError("eaves", .noCompiler(named: named))
        }
        var environment = environment
        if environment["PATH"] != nil { environment["PATH"] = finder.searchPath }
        return Toolchain(swiftc: path, environment: environment)
    }

    /// The variables that decide what compilers and linkers find besides what their options name. Where a header or a
    /// library was found by one of them, a module is out of date without it.
    private static let decidingNames = [
        "COMPILER_PATH", "CPATH", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH", "LIBRARY_PATH",
        "PKG_CONFIG_PATH",
        "RUSTFLAGS", "SDKROOT",
    ]

    /// Those of them that are set, as `NAME=value`.
    package var deciding: [String] {
        Self.decidingNames.compactMap { name in
            environment[name].flatMap { $0.isEmpty ? nil : "\(name)=\($0)" }
        }
    }

    package var identity: BuildIdentity? { BuildIdentity(path: swiftc) }

    package func call(_ arguments: [String]) -> ChildCommand {
        ChildCommand(swiftc, arguments, environment: environment)
    }

    /// The digest of the file that is run as the compiler; `nil` if it is so large that it is the
    /// compiler itself, which its version tells from others.
    ///
    /// A smaller file is a program around the compiler: it decides how the compiler is called, and
    /// still gives the compiler's version as its own.
    var wrapperDigest: String? {
        guard let file = try? OpenFile(reading: swiftc), let status = try? file.status(),
            status.kind == .file, status.size <= Self.wrapperSize
        else { return nil }
        return try? SHA256.digest(of: file).hex
    }

    /// In bytes. The driver of Swift 6.3 has 35 MB.
    private static let wrapperSize = 16 << 20
}

/// The description that a Swift compiler gives of itself.
package struct Compiler: Hashable, Sendable {
    /// Such as `Swift version 6.3.1 (swift-6.3.1-RELEASE)`.
    package let versionLine: String
    /// Such as `6.3.1`.
    package let version: String
    /// The target triple, such as `x86_64-unknown-linux-gnu`.
    package let target: String
    package let moduleFolders: [String]
    /// The folder whose folders contain the C modules that come with the compiler.
    let resourceFolder: String?

    package var toolFolder: String? { resourceFolder.map { Path.absolute("../../bin", from: $0) } }

    /// The answers of compilers that this process has asked about themselves, and the states of their files.
    private static let described =
        Mutex<[Toolchain: (identity: BuildIdentity, compiler: Compiler)]>([:])

    /// The compiler's description, for which it is run once in a process.
    ///
    /// - Parameter identity: The state of the compiler's file; `nil` to run it each time.
    static func described(
        _ toolchain: Toolchain, _ identity: BuildIdentity?, interrupts: Interrupts?
    ) throws(BuildError) -> Compiler {
        guard let identity else { return try Compiler(toolchain, interrupts: interrupts) }
        if let known = described.withLock({ $0[toolchain] }), known.identity == identity {
            return known.compiler
        }
        let answer = try describedByFrontend(toolchain, interrupts: interrupts)
        let compiler =
            if let answer { answer } else { try Compiler(toolchain, interrupts: interrupts) }
        described.withLock { $0[toolchain] = (identity, compiler) }
        return compiler
    }

    /// The description that the frontend next to the driver gives. The driver only passes the question on to it, and
    /// takes three times as long.
    ///
    /// - Returns: `nil` if there is none that can be trusted and answers: then the driver says why.
    private static func describedByFrontend(
        _ toolchain: Toolchain, interrupts: Interrupts?
    ) throws(BuildError) -> Compiler? {
        guard let driver = Files.resolved(toolchain.swiftc) else { return nil }
        let frontend = Path.join(Path.parent(of: driver), "swift-frontend")
        guard (try? FileStatus(path: frontend))?.kind == .file,
            ToolFinder(searchPath: nil).trustError(of: frontend) == nil,
            let report = try? ChildPool.run(
                ChildCommand(
                    frontend, ["-frontend", "-print-target-info"],
                    environment: toolchain.environment),
                interrupts: interrupts)
        else { return nil }
        if let signal = interrupts?.signal {
            throw BuildError("eaves", .interrupted(signal: signal))
        }
        return report.ending.isSuccess ? Compiler(targetInfo: report.output) : nil
    }

    /// Runs the compiler for its description, which takes some 150 ms.
    init(_ toolchain: Toolchain, interrupts: Interrupts?) throws(BuildError) {
        let unusable = { (reason: String) in
            BuildError("eaves", .unusableCompiler(path: toolchain.swiftc, reason: reason))
        }
        let report = try BuildTools.report(
            of: toolchain.call(["-print-target-info"]), for: "eaves", interrupts)
        guard report.ending.isSuccess else {
            let text = String(decoding: report.output, as: UTF8.self)
            let line = text.split(whereSeparator: \.isNewline).first.map { ", \($0)" }
            throw unusable(report.ending.description + (line ?? ""))
        }
        guard let compiler = Compiler(targetInfo: report.output) else {
            throw unusable("its output for -print-target-info is not valid")
        }
        self = compiler
    }

    /// Reads the output of `swiftc -print-target-info`; `nil` if it is not valid.
    init?(targetInfo: [UInt8]) {
        guard let info = try? JSONNode.parse(targetInfo),
            let line = info["compilerVersion"]?.string, let version = Self.version(in: line),
            let target = info["target"]?["triple"]?.string
        else { return nil }
        versionLine = line
        self.version = version
        self.target = target
        let folders = info["paths"]?["runtimeLibraryImportPaths"]?.elements ?? []
        moduleFolders = folders.compactMap(\.string)
        resourceFolder = info["paths"]?["runtimeResourcePath"]?.string
    }

    /// Whether a module that comes with the compiler has this name. A module of the same name could
    /// not import it, nor any that does.
    package func hasModule(named name: String) -> Bool {
        let isSwift = moduleFolders.contains { folder in
            (try? FileStatus(path: Path.join(folder, "\(name).swiftmodule"))) != nil
        }
        return isSwift || moduleMaps.contains { Self.declares(name, in: $0) }
    }

    /// The module maps of the C modules, such as those below Foundation and Dispatch.
    private var moduleMaps: [String] {
        let inResources = resourceFolder.map { folder in
            Folder.names(in: folder).map {
                Path.join(Path.join(folder, $0), "module.modulemap")
            }
        }
        let next = moduleFolders.flatMap { folder in
            Folder.names(in: folder)
                .filter { $0.hasSuffix(".modulemap") }.map { Path.join(folder, $0) }
        }
        return (inResources ?? []) + next
    }

    /// Whether a line of a module map begins `module name`.
    private static func declares(_ name: String, in map: String) -> Bool {
        guard let bytes = try? Files.read(map, limit: 1 << 20) else { return false }
        return bytes.split(separator: UInt8(ascii: "\n")).contains { line in
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
            return words.count > 1 && words[0].elementsEqual("module".utf8)
                && words[1].elementsEqual(name.utf8)
        }
    }

    /// The word after `version`: `6.3.1` in `Swift version 6.3.1 (swift-6.3.1-RELEASE)`.
    static func version(in line: String) -> String? {
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(of: "version"), place + 1 < words.count else {
            return nil
        }
        return String(words[place + 1])
    }
}

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
        let finder = ToolFinder(searchPath: toolchain.environment["PATH"])
        if let error = finder.trustError(of: toolchain.swiftc) {
            throw BuildError("eaves", .untrustedCompiler(error))
        }
        compilerIdentity = toolchain.identity
        wrapperDigest = toolchain.wrapperDigest
        // A program around the compiler may say something else each time.
        compiler = try Compiler.described(
            toolchain, wrapperDigest == nil ? compilerIdentity : nil, interrupts: interrupts)
        if let expected = sdkContent.compilerVersion,
            HostProfile.series(of: expected) != HostProfile.series(of: compiler.version)
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

    /// The first of these programs that there is.
    package func tool(
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
