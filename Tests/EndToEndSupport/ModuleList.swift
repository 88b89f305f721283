// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The contract's object of `eaves list --json`, with exactly its keys.
struct ModuleList: Decodable, Equatable {
    struct Feature: Decodable, Equatable {
        let name: String
        let summary: String
        let module: String
        let state: String
    }

    struct Module: Decodable, Equatable {
        let id: String
        let version: String?
        let path: String
        let state: String
        let problem: String?
        let provides: [String]
        let requires: [String]
        let pinned: Bool
    }

    let schema: Int
    let features: [Feature]
    let modules: [Module]
    let bindings: [String: String]

    func module(_ id: String) -> Module? { modules.first { $0.id == id } }
}
