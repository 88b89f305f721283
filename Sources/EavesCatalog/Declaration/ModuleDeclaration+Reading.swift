// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON

extension ModuleDeclaration {
    /// Reads a `module.json`.
    ///
    /// - Parameter shownPath: How messages name the file.
    package static func load(
        _ path: String, shownAs shownPath: String? = nil
    ) throws(DeclarationError) -> ModuleDeclaration {
        try SourceDeclaration.load(path, shownAs: shownPath).declaration
    }

    /// Reads the text of a `module.json`.
    ///
    /// - Parameter path: How messages name the file.
    package init(_ bytes: [UInt8], path: String) throws(DeclarationError) {
        self = try SourceDeclaration(bytes, path: path).declaration
    }

    private static let keys = [
        "$schema", "id", "version", "summary", "layer", "provides", "requires", "features",
        SourceDeclaration.entryKey,
    ]

    /// Leaves what is wrong to `reader`; `nil` if there is not enough for a declaration.
    init?(_ node: JSONNode, key: String, reader: inout DeclarationReader) {
        guard reader.checkKeys(of: node, key, known: Self.keys) else { return nil }
        id = reader.text("id", of: node, key, .moduleID)
        version = reader.text("version", of: node, key, .version)
        summary = reader.optionalText("summary", of: node, key, .line) ?? ""
        let layer = reader.layer(of: node, key)
        provides = reader.provisions(of: node, key)
        requires = reader.services(of: node, key)
        features = reader.features(of: node, key)
        guard let layer else { return nil }
        self.layer = layer
    }
}

extension DeclarationReader {
    fileprivate mutating func layer(of node: JSONNode, _ key: String) -> Layer? {
        let text = text("layer", of: node, key, .line)
        guard let value = node["layer"], value.string != nil else { return nil }
        if let layer = Layer(rawValue: text) { return layer }
        report(.unknownLayer(text), Self.join(key, "layer"), at: value.range.lowerBound)
        return nil
    }

    fileprivate mutating func provisions(of node: JSONNode, _ key: String) -> [Provision] {
        var seen: Set<Provision> = []
        return elements("provides", of: node, key).compactMap { key, value in
            guard checkKeys(of: value, key, known: ["service", "name"]) else { return nil }
            let provision = Provision(
                service: text("service", of: value, key, .serviceName),
                name: optionalText("name", of: value, key, .name))
            if !seen.insert(provision).inserted {
                report(.repeated(provision.description), key, at: value.range.lowerBound)
            }
            return provision
        }
    }

    fileprivate mutating func services(of node: JSONNode, _ key: String) -> [String] {
        var seen: Set<String> = []
        return elements("requires", of: node, key).compactMap { key, value in
            guard let service = text(value, key, .serviceName) else { return nil }
            if !seen.insert(service).inserted {
                report(.repeated(service), key, at: value.range.lowerBound)
            }
            return service
        }
    }

    fileprivate mutating func features(of node: JSONNode, _ key: String) -> [FeatureDeclaration] {
        var seen: Set<String> = []
        return elements("features", of: node, key).compactMap { key, value in
            guard checkKeys(of: value, key, known: ["name", "summary"]) else { return nil }
            let feature = FeatureDeclaration(
                name: text("name", of: value, key, .featureName),
                summary: optionalText("summary", of: value, key, .line) ?? "")
            if !seen.insert(feature.name).inserted {
                report(.repeated(feature.name), key, at: value.range.lowerBound)
            }
            return feature
        }
    }
}
