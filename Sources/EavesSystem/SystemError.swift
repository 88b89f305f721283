// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics

/// A system call that failed.
package struct SystemError: Error, Hashable, Sendable {
    /// What was tried.
    package enum Action: String, Sendable {
        case open, read, write, create, list, inspect, rename, remove, run, lock
    }

    package var action: Action
    /// The file it was tried on, as the person would name it.
    package var path: String
    package var errno: Errno

    package init(_ action: Action, _ path: String, _ errno: Errno = .current) {
        self.action = action
        self.path = path
        self.errno = errno
    }
}

extension SystemError: Diagnosable {
    package var diagnostics: [Diagnostic] {
        let fix: String? =
            switch errno {
            case .permissionDenied, .notPermitted: "check the owner and permissions of \(path)"
            case .readOnly: "mount its file system writable, or work on a copy"
            default: nil
            }
        let code: FailureCode =
            switch (action, errno) {
            case (_, .noSuchFile) where action != .create: .notFound
            case (.create, _): .cannotCreate
            case (_, .permissionDenied), (_, .notPermitted): .untrusted
            default: .inputOutput
            }
        return [Diagnostic("cannot \(action.rawValue) \(path): \(errno)", fix: fix, code: code)]
    }
}
