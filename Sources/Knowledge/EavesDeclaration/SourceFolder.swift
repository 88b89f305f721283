// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// A folder with a `module.json`: the sources of one module.
package struct SourceFolder: Sendable {
    /// An absolute path.
    package let path: String
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
            _ = try FileStatus(path: file)
        } catch  where error.errno.meansMissing {
            return nil
        } catch {
            // Reading the file below reports what is wrong.
        }
        self.path = path
        declaration = Result { () throws(DeclarationError) in
            try ModuleDeclaration.load(file, shownAs: Path.relative(file, to: base))
        }
    }
}
