// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCompiler
package import EavesDiagnostics
import EavesProcess
import EavesTools
package import EavesSystem
package import EavesTrust

/// The programs of the compiler's toolchain that read interfaces which were built.
package struct InterfaceTools: Sendable {
    /// The options with which they find the interfaces, and those that these build on.
    package let searchOptions: [String]
    private let tools: BuildTools

    init(_ tools: BuildTools, finding folders: [String]) {
        self.tools = tools
        searchOptions = CompileCommand.searchPaths(tools.sdk, folders)
    }

    /// Such as `x86_64-unknown-linux-gnu`.
    package var target: String { tools.compiler.target }

    /// Runs a program.
    ///
    /// - Parameters:
    ///   - arguments: Do not include ``searchOptions``.
    ///   - folder: The folder for the program's temporary files.
    /// - Returns: The text that it printed.
    /// - Throws: If it is missing, if others can change it, or if it fails.
    package func run(
        _ name: String, _ arguments: [String], in folder: WorkFolder
    ) throws(InterfaceToolError) -> String {
        guard let path = path(of: name) else { throw .missing(name) }
        do throws(ToolError) {
            try ToolFinder(searchPath: nil).checkTrust(of: path)
        } catch {
            guard case .untrusted(let reason) = error else { throw .missing(name) }
            throw .untrusted(reason)
        }
        var environment = tools.toolchain.environment
        environment["TMPDIR"] = folder.path
        let report: ChildReport
        do throws(SystemError) {
            report = try ChildPool.run(ChildCommand(path, arguments, environment: environment))
        } catch {
            throw .failed(name, reason: error.errno.description)
        }
        let printed = String(decoding: report.output, as: UTF8.self)
        guard report.ending.isSuccess else {
            throw InterfaceToolError(name, printed, because: "\(report.ending), ")
        }
        return printed
    }

    /// The path of a program of the toolchain. The compiler itself may be a program around it, so its own
    /// description leads there.
    private func path(of name: String) -> String? {
        let swiftc = tools.toolchain.swiftc
        let besides = Path.parent(of: Files.resolved(swiftc) ?? swiftc)
        return [tools.compiler.toolFolder, besides].compactMap(\.self)
            .map { Path.join($0, name) }
            .first { (try? FileStatus(path: $0))?.kind == .file }
    }
}

/// The reason why a program of the toolchain says nothing of an interface.
package enum InterfaceToolError: Error, Hashable, Sendable {
    /// The toolchain lacks it.
    case missing(String)
    /// Others can change it.
    case untrusted(TrustError)
    case failed(String, reason: String)

    /// A failure of which the program has printed the reason.
    package init(_ name: String, _ printed: String, because ending: String = "") {
        let line = printed.split(whereSeparator: \.isNewline).first.map(String.init)
        self = .failed(name, reason: ending + (line ?? "no output"))
    }
}

extension InterfaceToolError: Diagnosable {
    package var diagnostic: Diagnostic {
        switch self {
        case .missing(let name):
            Diagnostic(
                "the Swift toolchain has no '\(name)'",
                fix: "install the whole toolchain from swift.org", code: .notFound)
        case .untrusted(let error): error.diagnostic
        case .failed(let name, let reason):
            Diagnostic(
                "'\(name)' failed: \(reason)",
                fix: "check whether the module compiles with 'eaves build --force'",
                code: .crashed)
        }
    }
}
