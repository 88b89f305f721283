// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesBuild
package import EavesDeclaration
package import EavesDiagnostics
package import EavesSystem
package import EavesTrust

/// The reason why an interface module cannot be compared with its baseline, or gets no new one.
package struct InterfaceReviewError: Error, Hashable, Sendable {
    package enum Cause: Hashable, Sendable {
        case notAnInterface(Layer)
        /// Others can change the folder of the outputs.
        case untrusted(TrustError)
        case tool(InterfaceToolError)
        /// The baseline is not what `bump` writes.
        case badBaseline(String)
        /// The version that a person asks for is not the one that follows from the changes; `nil` if
        /// there is no baseline, and the text is not a version of an interface.
        case wrongVersion(given: String, following: InterfaceVersion?)
        case unreadable(SystemError)
        case unwritable(SystemError)
    }

    /// The module's id, or the file that is wrong.
    package var subject: String
    package var cause: Cause

    package init(_ subject: String, _ cause: Cause) {
        self.subject = subject
        self.cause = cause
    }
}

extension InterfaceReviewError: Diagnosable {
    package var diagnostic: Diagnostic {
        switch cause {
        case .untrusted(let error), .tool(.untrusted(let error)): return error.diagnostic
        default: break
        }
        return Diagnostic("\(subject): \(what)", fix: fix, code: code)
    }

    private var what: String {
        switch cause {
        case .notAnInterface(let layer):
            "expected an interface module, found one of the layer '\(layer.rawValue)'"
        case .untrusted(let error): error.diagnostic.message
        case .tool(let error): error.diagnostic.message
        case .badBaseline(let reason): "not a baseline: \(reason)"
        case .wrongVersion(let given, let following?):
            "expected a version \(following), which follows from the changes, found \(given.quoted)"
        case .wrongVersion(let given, nil):
            "expected a version that begins with two numbers, found \(given.quoted)"
        case .unreadable(let error), .unwritable(let error):
            "cannot \(error.action.rawValue) \(error.path): \(error.errno)"
        }
    }

    private var fix: String? {
        switch cause {
        case .notAnInterface: "name a module of the layer 'interface'"
        case .untrusted(let error): error.diagnostic.fix
        case .tool(let error): error.diagnostic.fix
        case .badBaseline:
            "restore it from the repository; or remove it, and write a new one with "
                + "'eaves interface bump'"
        case .wrongVersion(_, let following?): "write '--to \(following).0', or leave it out"
        case .wrongVersion(_, nil): "write one such as 1.0.0"
        case .unreadable(let error), .unwritable(let error): error.diagnostic.fix
        }
    }

    private var code: FailureCode {
        switch cause {
        case .notAnInterface, .badBaseline, .wrongVersion: .badData
        case .untrusted: .untrusted
        case .tool(let error): error.diagnostic.code
        case .unreadable(let error): error.diagnostic.code
        case .unwritable: .cannotCreate
        }
    }
}
