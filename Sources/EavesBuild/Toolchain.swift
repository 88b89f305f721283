// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

/// The Swift compiler to build modules with.
package struct Toolchain: Hashable, Sendable {
    /// Absolute.
    package let swiftc: String
    /// What the compiler gets to see.
    package let environment: Environment

    /// The variable that names another compiler than the one in `PATH`.
    private static let variable = "EAVES_SWIFTC"

    /// Finds it without running it.
    package static func locate(
        environment: Environment = .current
    ) throws(BuildError) -> Toolchain {
        let named = environment[variable].flatMap { $0.isEmpty ? nil : $0 }
        guard let path = find(named ?? "swiftc", in: environment["PATH"] ?? "") else {
            throw BuildError("eaves", .noCompiler(named: named))
        }
        return Toolchain(swiftc: path, environment: environment)
    }

    /// A name with a slash stands for itself, another one is looked for.
    private static func find(_ name: String, in path: String) -> String? {
        if name.utf8.contains(UInt8(ascii: "/")) {
            let absolute = Path.absolute(name)
            return isProgram(absolute) ? absolute : nil
        }
        return path.split(separator: ":")
            .map { Path.absolute(Path.join(String($0), name)) }
            .first(where: isProgram)
    }

    private static func isProgram(_ path: String) -> Bool {
        guard let status = try? FileStatus(path: path) else { return false }
        return status.kind == .file && status.mode & 0o111 != 0
    }
}
