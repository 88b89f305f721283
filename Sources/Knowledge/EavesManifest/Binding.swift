// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON

/// Says which module provides a service, or how several modules share that.
package struct Binding: Hashable, Sendable {
    package enum Target: Hashable, Sendable {
        case module(String)
        case weights(Weights)
    }

    package var key: BindingKey
    package var target: Target
    package var position: TextPosition

    package init(_ key: BindingKey, to target: Target, position: TextPosition) {
        self.key = key
        self.target = target
        self.position = position
    }

    package var service: String { key.service }

    /// The ids of all modules that the binding names, each once, in the order of the manifest.
    package var modules: [String] {
        switch target {
        case .module(let module): [module]
        case .weights(let weights): weights.shares.map(\.module)
        }
    }

    package var weights: Weights? {
        if case .weights(let weights) = target { weights } else { nil }
    }

    package var words: String {
        switch target {
        case .module(let module): module
        case .weights(let weights): weights.words
        }
    }
}

/// A service that a manifest can bind: `UserService`, or `UserService#archive` for its implementation
/// that is named `archive`.
package struct BindingKey: Hashable, Sendable {
    /// The service's name, which may be qualified by its Swift module.
    package var service: String
    /// The name of the implementation; `nil` for the unnamed one.
    package var name: String?

    package init(_ service: String, name: String? = nil) {
        self.service = service
        self.name = name
    }

    /// Takes a key as the manifest and the command line have it. A service's name has no `#`, so that the
    /// first one ends it.
    package init(text: String) {
        if let mark = text.utf8.firstIndex(of: UInt8(ascii: "#")) {
            self.init(
                String(text[..<mark]), name: String(text[text.utf8.index(after: mark)...]))
        } else {
            self.init(text)
        }
    }

    package var text: String { name.map { "\(service)#\($0)" } ?? service }

    /// The key without the Swift module that qualifies the service.
    package var word: BindingKey {
        guard let dot = service.utf8.lastIndex(of: UInt8(ascii: ".")) else { return self }
        return BindingKey(String(service[service.utf8.index(after: dot)...]), name: name)
    }
}
