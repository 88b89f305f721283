// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesSystem

/// A new file of an interface module, compared with the file that it replaces: the modules that were built against
/// the old one, and that the new one breaks although its version says that it does not.
///
/// A file with another major version breaks no module: none that was built against an earlier one uses it.
struct InterfaceReplacement {
    private let new: InterfaceStamp
    private let earlierProtocols: InterfaceProtocols
    private let protocols: InterfaceProtocols
    /// The symbols that the old file has and the new one has not.
    private let gone: Set<String>

    /// - Parameter old: The file that is replaced.
    /// - Returns: `nil` if there is no old file of the same major version, or it is damaged: then no module runs
    ///   with it.
    init?(of old: String, by file: String) throws(ELFError) {
        guard let earlier = ModuleContent(old).note?.declaration.interfaceStamp,
            let new = ModuleContent(file).note?.declaration.interfaceStamp,
            earlier.module == new.module, earlier.version.major == new.version.major,
            let before = try? BinaryReport(of: old),
            let earlierProtocols = try? InterfaceProtocols(of: old, earlier)
        else { return nil }
        self.new = new
        self.earlierProtocols = earlierProtocols
        protocols = try InterfaceProtocols(of: file, new)
        gone = Set(new.symbolPrefixes.flatMap(before.definedNames(startingWith:)))
            .subtracting(try BinaryReport(of: file).definedNames())
    }

    /// Finds the symbols by which the new file breaks a module: those that the module lacks, or no longer finds, with the
    /// new file and not with the old one. Mangled, sorted; empty if the new file makes no difference to the module.
    func breakage(of user: String) throws(ELFError) -> (lacking: [String], gone: [String]) {
        let conformances = try SwiftConformance.all(in: user, to: [new])
        let used = try new.symbolPrefixes.flatMap(
            BinaryReport(of: user).undefinedNames(startingWith:))
        let lackedBefore = earlierProtocols.requirements(lackingIn: conformances)
        let lacking = protocols.requirements(lackingIn: conformances)
            .filter { !lackedBefore.contains($0) }
        return (lacking, used.filter(gone.contains).sorted())
    }

    /// The message that names the modules that break; `nil` if none does.
    ///
    /// - Parameter users: The modules that are built against the interface and that this build does not build again.
    func warning(of id: String, _ users: [InterfaceUserFile]) -> Diagnostic? {
        var broken: [(id: String, words: String)] = []
        for user in users {
            // A file that cannot be read is broken anyway, and all commands say so.
            guard let (lacking, gone) = try? breakage(of: user.file),
                !lacking.isEmpty || !gone.isEmpty
            else { continue }
            let parts = [
                ("lacks ", lacking.map(SymbolName.requirement)),
                ("uses what is gone, ", gone.map(SymbolName.demangled)),
            ]
            let words = parts.filter { !$0.1.isEmpty }.map { start, names in
                start + names.map { "'\($0)'" }.abridged(by: ", ")
            }
            broken.append((user.id, words.joined(separator: ", and ")))
        }
        guard !broken.isEmpty else { return nil }
        let next = InterfaceVersion(major: new.version.major + 1, minor: 0)
        let ids = broken.map { "'\($0.id)'" }.abridged(by: ", ")
        return Diagnostic(
            "\(id): its version is still \(new.version), and it breaks modules that were built against the file "
                + "that it replaces: "
                + broken.map { "'\($0.id)' \($0.words)" }.joined(separator: "; "),
            fix:
                "give what was added a default implementation, and keep what was there; or write the version "
                + "\(next).0 into its module.json, and build \(ids) again",
            code: .incompatible)
    }
}

/// The file of a module that names an interface.
package struct InterfaceUserFile: Hashable, Sendable {
    package var id: String
    /// Absolute.
    package var file: String
    /// The folder that it is built from; `nil` if there are no sources of it here. Absolute.
    package var folder: String?

    package init(id: String, file: String, folder: String?) {
        self.id = id
        self.file = file
        self.folder = folder
    }
}
