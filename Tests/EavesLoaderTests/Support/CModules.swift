// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// Compiles modules in C for tests.
enum CModules {
    struct CompilerError: Error {
        let output: String
    }

    /// The machine's C compiler, or the one of the Swift toolchain, which needs the toolchain's
    /// linker.
    private static let compiler: [String] = {
        if let cc = find("cc") { return [cc] }
        let swiftc = find("swiftc").flatMap(Files.resolved) ?? "swiftc"
        return [Path.join(Path.parent(of: swiftc), "clang"), "-fuse-ld=lld"]
    }()

    private static func find(_ name: String) -> String? {
        (Environment.current["PATH"] ?? "").split(separator: ":")
            .map { Path.join(String($0), name) }
            .first { (try? FileStatus(path: $0))?.kind == .file }
    }

    /// Compiles C code to a shared object in a folder, and returns its path. The code can use
    /// `eaves.h`.
    @discardableResult
    static func compile(
        _ code: String, to name: String = "module.so", in folder: TemporaryFolder,
        _ arguments: [String] = []
    ) throws -> String {
        let source = try folder.write("#include <eaves.h>\n" + code, to: name + ".c")
        let output = Path.join(folder.path, name)
        let headers = Path.absolute("../../../../Sources/CEaves/include", from: #filePath)
        let command = ChildCommand(
            compiler[0],
            compiler.dropFirst() + ["-shared", "-fPIC", "-I", headers, "-o", output, source]
                + arguments)
        let report = try ChildPool.run(command)
        guard report.ending.isSuccess else {
            throw CompilerError(output: String(decoding: report.output, as: UTF8.self))
        }
        return output
    }
}
