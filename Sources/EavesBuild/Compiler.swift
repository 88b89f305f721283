// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesSystem

/// What a Swift compiler says of itself.
package struct Compiler: Hashable, Sendable {
    /// Such as `Swift version 6.3.1 (swift-6.3.1-RELEASE)`.
    package let versionLine: String
    /// Such as `6.3.1`.
    package let version: String
    /// The target triple, such as `x86_64-unknown-linux-gnu`.
    package let target: String
    /// The folders of the modules that come with it.
    package let moduleFolders: [String]

    /// Asks a compiler, which takes it some 50 ms.
    init(_ toolchain: Toolchain, interrupts: Interrupts?) throws(BuildError) {
        let report: ChildReport
        do throws(SystemError) {
            let command = ChildCommand(
                toolchain.swiftc, ["-print-target-info"], environment: toolchain.environment)
            report = try ChildPool.run(command, interrupts: interrupts)
        } catch {
            throw Self.unusable(toolchain, error.errno.description)
        }
        if let signal = interrupts?.signal {
            throw BuildError("eaves", .interrupted(signal: signal))
        }
        guard report.ending.isSuccess else {
            throw Self.unusable(toolchain, Self.reason(report))
        }
        guard let compiler = Compiler(targetInfo: report.output) else {
            throw Self.unusable(toolchain, "its -print-target-info cannot be understood")
        }
        self = compiler
    }

    /// From what `swiftc -print-target-info` prints.
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
    }

    /// `6.3.1` of `Swift version 6.3.1 (swift-6.3.1-RELEASE)`.
    static func version(in line: String) -> String? {
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(of: "version"), place + 1 < words.count else {
            return nil
        }
        return String(words[place + 1])
    }

    /// Modules of one series run together: `6.3` of `6.3.1`.
    static func series(of version: String) -> [Substring] {
        version.split(separator: ".").prefix(2).map { $0.prefix(while: \.isNumber) }
    }

    private static func unusable(_ toolchain: Toolchain, _ reason: String) -> BuildError {
        BuildError("eaves", .unusableCompiler(path: toolchain.swiftc, reason: reason))
    }

    private static func reason(_ report: ChildReport) -> String {
        let said = String(decoding: report.output, as: UTF8.self)
            .split(whereSeparator: \.isNewline).first
        return said.map { "\(report.ending), \($0)" } ?? report.ending.description
    }
}
