// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// Finds the programs that Eaves runs, and checks who can change them: each program, and every folder on the way to it.
///
/// A shell takes an empty or relative entry of `PATH` for a folder below the working directory, where
/// anybody may have put a program. Here, such an entry is not used.
package struct ToolFinder: Sendable {
    /// The entries of `PATH` that are used, in order.
    package let folders: [String]
    private let check: TrustCheck

    /// - Parameters:
    ///   - searchPath: The value of `PATH`.
    ///   - check: The users whose programs are run.
    package init(searchPath: String?, check: TrustCheck = .own) {
        folders = Path.absolute(inList: searchPath ?? "")
        self.check = check
    }

    /// The value of `PATH` for programs that look for others themselves.
    package var searchPath: String { folders.chained(by: ":") }

    /// Finds a program.
    ///
    /// - Parameter name: A name with a slash is a path, and is not searched for; a relative one begins in
    ///   the working directory.
    /// - Returns: An absolute path. No other user can change what it leads to.
    /// - Throws: ``ToolError`` also if others can change the first program of that name. A shell would run
    ///   that one, so that another one further on is hardly what the user means.
    package func find(_ name: String) throws(ToolError) -> String {
        guard let path = first(name) else { throw .missing(name) }
        if let error = trustError(of: path) { throw .untrusted(error) }
        return path
    }

    /// The program that ``find(_:)`` finds, before it is checked who can change it: for a program that is
    /// named now, and perhaps run later.
    package func first(_ name: String) -> String? {
        let isPath = name.utf8.contains(UInt8(ascii: "/"))
        let paths = isPath ? [Path.absolute(name)] : folders.map { Path.join($0, name) }
        return paths.first(where: Self.isProgram)
    }

    /// The reason not to run a program that was found: others can change it. `nil` if only trusted users can.
    package func trustError(of path: String) -> TrustError? {
        check.error(of: TrustPlace(path, .tool))
    }

    private static func isProgram(_ path: String) -> Bool {
        guard let status = try? FileStatus(path: path) else { return false }
        return status.kind == .file && status.mode & 0o111 != 0
    }
}

package enum ToolError: Error, Hashable, Sendable {
    /// No program has this name, or is at this path.
    case missing(String)
    case untrusted(TrustError)
}
