// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
package import EavesJSON
package import EavesManifest

extension ListAnswer {
    /// The output of `eaves list --json`. This file alone says which members it has.
    package func json(_ manifest: Manifest) -> JSON {
        // The object leaves out the parts that the person did not ask for: an empty array would be an answer.
        let parts: [(String, JSON?)] = [
            ("features", features.map { .array($0.map(\.json)) }),
            ("modules", modules.map { .array($0.map(\.json)) }),
            ("services", services.map { .array($0.map(\.json)) }),
            ("bindings", bindings.map { .object($0.map(manifest.member)) }),
        ]
        return .object(
            [JSON.Member(name: "schema", value: 1)]
                + parts.compactMap { name, value in value.map { JSON.Member(name: name, value: $0) }
                })
    }
}

extension CatalogFeature {
    fileprivate var json: JSON {
        [
            "name": .string(declaration.name), "summary": .string(declaration.summary),
            "module": .string(module), "state": .string(state.rawValue),
        ]
    }
}

extension ListedModule {
    fileprivate var json: JSON {
        [
            "id": .string(entry.id), "version": .text(entry.declaration?.version),
            "path": .string(entry.path), "state": .string(entry.state.rawValue),
            "problem": .text(problem), "provides": .array(provides.map(JSON.string)),
            "requires": .array(requires.map(JSON.string)), "pinned": .bool(entry.sha256 != nil),
        ]
    }
}

extension ListedService {
    fileprivate var json: JSON {
        ["service": .string(name), "providers": .array(providers.map(JSON.string))]
    }
}

extension Manifest {
    fileprivate func member(_ binding: Binding) -> JSON.Member {
        let value: JSON
        switch binding.target {
        case .module(let module): value = .string(module)
        case .weights(let weights):
            let choice = chosen[binding.key]
            value = [
                "weights": .object(
                    weights.shares.map {
                        JSON.Member(name: $0.module, value: .integer($0.weight))
                    }),
                "by": .text(weights.key),
                // Each process draws for itself.
                "chosen": .text(choice?.reason == .chance ? nil : choice?.module),
                "reason": .text(choice?.reason.rawValue),
            ]
        }
        return JSON.Member(name: binding.key.text, value: value)
    }
}
