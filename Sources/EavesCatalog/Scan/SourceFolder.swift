// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// A folder with a `module.json`: what one module is built from.
struct SourceFolder: Sendable {
    /// As an absolute path.
    let path: String
    let declaration: Result<ModuleDeclaration, DeclarationError>

    /// The id that it gives its module; `nil` if it cannot be told.
    var id: String? {
        switch declaration {
        case .success(let declaration): declaration.id
        case .failure(let error): error.id
        }
    }

    /// `nil` for a folder without `module.json`.
    ///
    /// - Parameter base: The folder that messages name the file from.
    init?(_ path: String, seenFrom base: String) {
        let file = Path.join(path, ModuleDeclaration.fileName)
        do {
            _ = try FileStatus(path: file)
        } catch  where error.errno.meansMissing {
            return nil
        } catch {
            // Reading it says what is wrong.
        }
        self.path = path
        declaration = Result { () throws(DeclarationError) in
            try ModuleDeclaration.load(file, shownAs: Path.relative(file, to: base))
        }
    }
}
