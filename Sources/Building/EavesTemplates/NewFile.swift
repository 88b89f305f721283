// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesSystem
package import EavesTrust

/// A file that a template makes, and its text.
package struct NewFile: Hashable, Sendable {
    /// Relative to the folder into which the files are written.
    package let path: String
    package let text: String

    package init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
    }
}

extension [NewFile] {
    /// Writes the files together, and makes the folders that they need. They take the place of no other file.
    ///
    /// - Parameter folder: The absolute path of a folder, which is made if it is not there.
    /// - Throws: ``TemplateError`` if one of them is there already, or cannot be written. Those that were written
    ///   are removed then.
    package func write(into folder: String) throws(TemplateError) {
        let paths = map { Path.join(folder, $0.path) }
        if let taken = paths.first(where: { (try? FileStatus(path: $0)) != nil }) {
            throw .taken(taken)
        }
        var written: [String] = []
        do throws(PlaceError) {
            for (path, file) in zip(paths, self) {
                try Output.makeFolder(Path.parent(of: path))
                try Output(path).replace(with: file.text.utf8)
                written.append(path)
            }
        } catch {
            for path in written { try? Files.remove(path) }
            throw .unwritable(error)
        }
    }
}

/// The reason why nothing is made from a template.
package enum TemplateError: Error, Hashable, Sendable {
    /// There is a manifest where a project is to begin.
    case isProject(String)
    /// There is a file, or a folder, where one is to be made.
    case taken(String)
    case unwritable(PlaceError)
    /// No type can be sketched that conforms to a protocol.
    case cannotSketch(String, because: String)
    /// The text of `Package.swift` has no place for modules.
    case noPlace(path: String, line: String)
}

extension TemplateError: Diagnosable {
    package var diagnostic: Diagnostic {
        switch self {
        case .isProject(let path):
            Diagnostic(
                "there is a project already: \(path)",
                fix: "make a module with 'eaves new feature NAME'", code: .cannotCreate)
        case .taken(let path):
            Diagnostic(
                "\(path) is there already, and nothing is overwritten",
                fix: "choose another name, or move it away", code: .cannotCreate)
        case .unwritable(let error): error.diagnostic
        case .cannotSketch(let service, let reason):
            Diagnostic(
                "no type can be sketched for \(service.quoted): \(reason)",
                fix: "make the module with 'eaves new feature', and write the type by hand",
                code: .badData)
        case .noPlace(let path, let line):
            Diagnostic(
                "\(path) has no line that says where 'eaves new' adds modules",
                fix: "for editors and 'swift test', add: \(line)", code: .badData)
        }
    }
}
