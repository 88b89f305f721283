// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON

extension BuildTag {
    /// Its keys in the note, which stand beside those of the declaration.
    var members: [JSON.Member] {
        let texts: [(String, String?)] = [
            ("interface", interface?.description), ("compiler", compiler), ("target", target),
            ("inputs", inputs),
        ]
        return [JSON.Member(name: "abi", value: .integer(abi))]
            + texts.compactMap { name, text in
                text.map { JSON.Member(name: name, value: .string($0)) }
            }
    }

    /// Leaves what is wrong to `reader`; `nil` if the ABI version cannot be read.
    init?(_ node: JSONNode, key: String, reader: inout DeclarationReader) {
        interface = reader.interface(of: node, key)
        compiler = reader.optionalText("compiler", of: node, key, .name)
        target = reader.optionalText("target", of: node, key, .name)
        inputs = reader.optionalText("inputs", of: node, key, .name)
        guard let abi = reader.abi(of: node, key) else { return nil }
        self.abi = abi
    }
}

extension DeclarationReader {
    fileprivate mutating func abi(of node: JSONNode, _ key: String) -> Int? {
        guard let value = node["abi"] else {
            report(.missingKey("abi"), key, at: node.range.lowerBound)
            return nil
        }
        if let abi = value.integer { return abi }
        report(
            .wrongType(expected: "a whole number", found: value.kind), Self.join(key, "abi"),
            at: value.range.lowerBound)
        return nil
    }

    fileprivate mutating func interface(of node: JSONNode, _ key: String) -> InterfaceVersion? {
        guard let text = optionalText("interface", of: node, key, .name) else { return nil }
        if let version = InterfaceVersion(text) { return version }
        report(
            .badInterface(text), Self.join(key, "interface"), at: node.range.lowerBound)
        return nil
    }
}
