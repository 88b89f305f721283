// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesBuild
package import EavesCode
package import EavesDeclaration
package import EavesDiagnostics
import EavesJSON
package import EavesSystem
package import EavesTrust

/// The comparison of one interface module with its baseline, and the version that follows from it.
package struct InterfaceReview: Sendable {
    package let id: String
    package let version: String
    /// `nil` if there is no baseline yet.
    package let baseline: InterfaceBaseline?
    /// The changes since the baseline. Empty without one.
    package let changes: [InterfaceChange]
    /// Whether the textual interface is another one, although nothing that a binary sees has changed.
    package let hasOtherText: Bool

    private let api: InterfaceAPI
    private let request: BuildRequest

    package var broken: Set<InterfaceChange.Party> {
        changes.reduce(into: []) { $0.formUnion($1.breaks) }
    }

    /// The version that follows: a new major one if something breaks, a new minor one if something was
    /// added, else the one of the baseline. `nil` without a baseline.
    package var following: InterfaceVersion? {
        guard let old = baseline?.version else { return nil }
        if !broken.isEmpty { return InterfaceVersion(major: old.major + 1, minor: 0) }
        return changes.isEmpty ? old : InterfaceVersion(major: old.major, minor: old.minor + 1)
    }

    package var hasRightVersion: Bool {
        following.map { $0 == InterfaceVersion.ofModule(version) } ?? true
    }

    init(
        _ request: BuildRequest, version: String, api: InterfaceAPI, baseline: InterfaceBaseline?
    ) {
        self.request = request
        self.version = version
        self.api = api
        self.baseline = baseline
        id = request.id
        changes = baseline.map { InterfaceChange.between($0.api, api) } ?? []
        hasOtherText = changes.isEmpty && baseline.map { $0.api.text != api.text } ?? false
    }

    /// Writes the version that follows into `module.json`, and the baseline.
    ///
    /// - Parameter given: The version to write; `nil` to find it out.
    /// - Returns: The version that `module.json` has now.
    /// - Throws: ``InterfaceReviewError`` if the given version is not the one that follows, or a file cannot
    ///   be written.
    package func bump(to given: String? = nil) throws(InterfaceReviewError) -> String {
        let target = try target(given)
        do throws(PlaceError) {
            if target != version { try writeVersion(target) }
            let stamp = InterfaceVersion.ofModule(target) ?? InterfaceVersion(major: 0, minor: 0)
            let new = InterfaceBaseline(version: stamp, api: api)
            if new != baseline { try new.save(in: request.folder, request.trust) }
        } catch {
            throw InterfaceReviewError(id, writing: error)
        }
        return target
    }

    private func target(_ given: String?) throws(InterfaceReviewError) -> String {
        guard let given else {
            guard let following, !hasRightVersion else { return version }
            return "\(following).0"
        }
        let number = InterfaceVersion.ofModule(given)
        guard NameRule.version.allows(given), let number, following.map({ $0 == number }) ?? true
        else {
            throw InterfaceReviewError(id, .wrongVersion(given: given, following: following))
        }
        return given
    }

    /// Changes the version and leaves every other byte of the file as it is.
    private func writeVersion(_ version: String) throws(PlaceError) {
        let path = Path.join(request.folder, ModuleDeclaration.fileName)
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try Files.read(path) } catch { throw .system(error) }
        var editor: JSONEditor
        do throws(JSONSyntaxError) {
            editor = try JSONEditor(bytes)
            try editor.set(["version"], to: .string(version))
        } catch {
            // The file was read as JSON before: another program is writing it.
            throw .system(SystemError(.read, path, .tryAgain))
        }
        try Output(path, request.trust).replace(with: editor.bytes)
    }
}

extension Builder {
    /// The distributed actors for the protocols of an interface module, which has been built.
    package func distributedCode(for request: BuildRequest) throws -> DistributedCode {
        try InterfaceDump(request: request, interface: interface(of: request).built).distributed()
    }

    private func interface(
        of request: BuildRequest
    ) throws -> (declaration: ModuleDeclaration, built: BuiltInterface) {
        let declaration = try request.declaration
        guard declaration.layer == .interface else {
            throw InterfaceReviewError(request.id, .notAnInterface(declaration.layer))
        }
        return (declaration, try BuiltInterface(request, declaration, self))
    }

    /// Compares an interface module, which has been built, with its baseline.
    package func review(_ request: BuildRequest) throws -> InterfaceReview {
        let (declaration, interface) = try interface(of: request)
        let baseline = try InterfaceBaseline.load(
            in: request.folder,
            shownAs: Path.join(request.shownFolder, InterfaceBaseline.fileName))
        let api = try InterfaceDump(request: request, interface: interface).api()
        return InterfaceReview(
            request, version: declaration.version, api: api, baseline: baseline)
    }
}

/// The reason why an interface module cannot be compared with its baseline, or gets no new one.
package struct InterfaceReviewError: Error, Hashable, Sendable {
    package enum Cause: Hashable, Sendable {
        case notAnInterface(Layer)
        case untrusted(TrustError)
        case tool(InterfaceToolError)
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

    /// The error for a place that is written to.
    init(_ subject: String, writing error: PlaceError) {
        switch error {
        case .untrusted(let error): self.init(subject, .untrusted(error))
        case .system(let error): self.init(subject, .unwritable(error))
        }
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
