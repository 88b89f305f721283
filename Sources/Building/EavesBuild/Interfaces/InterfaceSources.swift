// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
import EavesDeclaration
import EavesSystem

/// The folder of an interface module, read for advice: its `.so` may not exist yet.
struct InterfaceSources {
    let id: String
    /// The folder's public protocols, as far as the text of its sources shows them.
    let content: InterfaceContent

    /// - Returns: `nil` if the folder is not that of an interface module, or cannot be read.
    init?(_ folder: String) {
        let file = Path.join(folder, ModuleDeclaration.fileName)
        guard (try? FileStatus(path: file)) != nil, let source = try? SourceDeclaration.load(file),
            source.declaration.layer == .interface,
            let module = source.swiftModule ?? ModuleName.identifier(Path.name(of: folder))
                ?? ModuleName.identifier(source.declaration.id)
        else { return nil }
        id = source.declaration.id
        let contents = (try? SourceFiles(folder).contents()) ?? []
        let protocols = contents.filter(\.isSwift).flatMap {
            InterfaceText($0.bytes).protocols(of: module)
        }
        content = InterfaceContent(module: module, protocols: Set(protocols).sorted())
    }
}
