// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesProcess
import EavesSystem
import Synchronization

/// A C compiler that makes real binaries: the machine's, or the one of the Swift toolchain.
package struct CCompiler: Sendable, CustomStringConvertible {
    package let executable: String
    /// Whether it needs the toolchain's linker, as on a machine that has no other linker.
    package let usesLLD: Bool

    package var description: String { usesLLD ? "clang with lld" : "cc" }

    /// `cc` if there is one, and the toolchain's clang. Never empty where there is a toolchain.
    package static let all: [CCompiler] = {
        var found: [CCompiler] = []
        if let cc = find("cc") { found.append(CCompiler(executable: cc, usesLLD: false)) }
        if let swiftc = find("swiftc").flatMap(Files.resolved) {
            let clang = Path.join(Path.parent(of: swiftc), "clang")
            if (try? FileStatus(path: clang)) != nil {
                found.append(CCompiler(executable: clang, usesLLD: true))
            }
        }
        return found
    }()

    /// The compiler for tests that need only one.
    package static func first() throws -> CCompiler {
        guard let compiler = all.first else { throw FixtureError("neither cc nor clang is here") }
        return compiler
    }

    private static func find(_ name: String) -> String? {
        (Environment.current["PATH"] ?? "").split(separator: ":")
            .map { Path.join(String($0), name) }
            .first { (try? FileStatus(path: $0))?.kind == .file }
    }

    /// Lets C source include `eaves.h`.
    package static let includes = ["-I", Repository.path("Sources/Contract/CEaves/include")]

    /// The files that were compiled in this run, by compiler, source and arguments: most tests need the same few binaries.
    private static let compiled = Mutex<[[String]: [UInt8]]>([:])

    /// Compiles C source without any library.
    ///
    /// - Parameter arguments: Stand behind the source, as files that it is linked to have to.
    /// - Returns: The bytes of the binary.
    package func compile(
        _ source: String, _ arguments: [String] = ["-shared"]
    ) throws -> [UInt8] {
        // The files that it is linked to may be others each time.
        if arguments.contains(where: { $0.contains("/") }) {
            return try compiledAnew(source, arguments)
        }
        let key = [executable, source] + arguments
        if let known = Self.compiled.withLock({ $0[key] }) { return known }
        let binary = try compiledAnew(source, arguments)
        Self.compiled.withLock { $0[key] = binary }
        return binary
    }

    private func compiledAnew(_ source: String, _ arguments: [String]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let input = try folder.write(source, to: "source.c")
        let output = folder.file("out")
        try run(["-fPIC", "-nostdlib", "-o", output, input] + arguments)
        return try Files.read(output)
    }

    /// Runs the compiler.
    package func run(_ arguments: [String]) throws {
        let command = ChildCommand(executable, (usesLLD ? ["-fuse-ld=lld"] : []) + arguments)
        let report = try ChildPool.run(command)
        guard report.ending.isSuccess else { throw FixtureError(report) }
    }
}
