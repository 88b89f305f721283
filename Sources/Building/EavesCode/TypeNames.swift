// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The names of the types that modules declare. If a source imports several of the modules, a name that two of them have
/// needs its module before it.
package struct TypeNames: Sendable {
    /// The names, by the modules.
    private let modules: [String: Set<String>]

    /// - Parameter texts: The textual interfaces of the modules.
    package init(_ texts: [String: [UInt8]]) {
        modules = texts.mapValues { text in
            let declarations = SwiftDeclarations(text)
            return Set(declarations.types.map(\.name) + declarations.publicProtocols)
        }
    }

    /// Whether the names of a module's types are known.
    package func knows(_ module: String) -> Bool { modules[module] != nil }

    /// Whether the name of a module means one of its types.
    package func hides(_ module: String) -> Bool { modules[module]?.contains(module) == true }

    /// The module to write before a name; `nil` if the name alone means the type.
    package func module(before name: String, of module: String) -> String? {
        let isTaken = modules.contains { $0.key != module && $0.value.contains(name) }
        return isTaken && !hides(module) ? module : nil
    }

    /// A type as a source names it.
    package func text(_ name: String, of module: String) -> String {
        self.module(before: name, of: module).map { "\($0).\(name)" } ?? name
    }
}
