// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

/// A folder with a `module.json`: the sources of one module.
package struct SourceFolder: Sendable {
    /// An absolute path.
    package let path: String
    /// The `module.json` before it was read; `nil` if nothing could be learnt of it.
    package let status: FileStatus?
    package let declaration: Result<ModuleDeclaration, DeclarationError>

    /// The id that the folder gives its module; `nil` if the declaration has none.
    package var id: String? {
        switch declaration {
        case .success(let declaration): declaration.id
        case .failure(let error): error.id
        }
    }

    /// - Parameter base: The folder that messages name the file from.
    /// - Returns: `nil` for a folder without a `module.json`.
    package init?(_ path: String, seenFrom base: String) {
        let file = Path.join(path, ModuleDeclaration.fileName)
        do {
            status = try FileStatus(path: file)
        } catch  where error.errno.meansMissing {
            return nil
        } catch {
            // Reading the file below reports what is wrong.
            status = nil
        }
        self.path = path
        declaration = Result { () throws(DeclarationError) in
            try ModuleDeclaration.load(file, shownAs: Path.relative(file, to: base))
        }
    }

    /// The identity of the `module.json` if any later change is certain to give it another one; otherwise
    /// `FileIdentity.none`.
    ///
    /// - Parameter start: A time before the file was looked at, in nanoseconds since 1970.
    package func settledIdentity(since start: Int64) -> FileIdentity {
        guard let identity = status.map(FileIdentity.init), identity.isSettled(at: start) else {
            return .none
        }
        return identity
    }
}
