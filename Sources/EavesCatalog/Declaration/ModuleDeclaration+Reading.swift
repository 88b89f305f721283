// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesSystem

extension ModuleDeclaration {
    /// More than anybody writes about a module. In bytes.
    private static let maximumSize = 1 << 20

    /// Reads a `module.json`.
    ///
    /// - Parameter shownPath: How messages name the file.
    package static func load(
        _ path: String, shownAs shownPath: String? = nil
    ) throws(DeclarationError) -> ModuleDeclaration {
        let shownPath = shownPath ?? path
        let problem: DeclarationProblem
        do {
            let bytes = try Files.read(path, limit: maximumSize)
            return try ModuleDeclaration(bytes, path: shownPath)
        } catch let error as DeclarationError {
            throw error
        } catch let error as SystemError {
            problem = DeclarationProblem(.unreadable(error))
        } catch {
            preconditionFailure("a stage throws its own errors only: \(error)")
        }
        throw DeclarationError(path: shownPath, problems: [problem])
    }

    /// Reads the text of a `module.json`.
    ///
    /// - Parameter path: How messages name the file.
    package init(_ bytes: [UInt8], path: String) throws(DeclarationError) {
        let node: JSONNode
        do throws(JSONSyntaxError) {
            node = try JSONNode.parse(bytes)
        } catch {
            let problem = DeclarationProblem(.syntax(error), position: error.position)
            throw DeclarationError(path: path, problems: [problem])
        }
        var reader = DeclarationReader(lines: TextLines(bytes), allowsUnknownKeys: false)
        let declaration = ModuleDeclaration(node, key: "", reader: &reader)
        guard let declaration, reader.problems.isEmpty else {
            let id = node["id"]?.string.flatMap { NameRule.moduleID.allows($0) ? $0 : nil }
            throw DeclarationError(path: path, id: id, problems: reader.problemsInOrder)
        }
        self = declaration
    }

    private static let keys = [
        "$schema", "id", "version", "summary", "layer", "provides", "requires", "features",
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
