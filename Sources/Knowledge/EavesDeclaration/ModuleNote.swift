// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesELF
package import EavesJSON

/// The content of a module's `.note.package`: its declaration, and how it was built.
package struct ModuleNote: Hashable, Sendable {
    /// The owner of the ELF note. Other tools know it too; see https://uapi-group.org/specifications/specs/package_metadata_for_executable_files.
    package static let owner = "FDO"
    package static let noteType: UInt32 = 0xcafe_1a7e
    /// The value of `type` in the note's JSON, which distributions set to the names of their package
    /// formats.
    package static let type = "eaves"

    /// Whether an ELF note is a package note, which may be the one of a module.
    package static func isPackageNote(_ note: ELFNote) -> Bool {
        note.type == noteType && note.owner == owner
    }

    package var declaration: ModuleDeclaration
    package var tag: BuildTag

    package init(declaration: ModuleDeclaration, tag: BuildTag) {
        self.declaration = declaration
        self.tag = tag
    }

    /// Reads the JSON text of a note.
    package init(json: [UInt8]) throws(NoteError) {
        self = try NoteDocument(json).note()
    }

    /// The JSON object of the note.
    package var json: JSON {
        var members: [JSON.Member] = []
        if case .object(let declared) = declaration.json { members = declared }
        let machine = tag.target?.split(separator: "-").first.map(String.init)
        return [
            "type": .string(Self.type),
            "name": .string(declaration.id),
            "version": .string(declaration.version),
            "architecture": .string(machine ?? ELFMachine.current.description),
            "eaves": .object(members + tag.members),
        ]
    }
}

/// How a module was built: for which ABI, interface and target, with which compiler, from which inputs.
package struct BuildTag: Hashable, Sendable {
    /// The version of the C ABI.
    package var abi: Int
    /// `nil` for a module that uses the C ABI alone.
    package var interface: InterfaceVersion?
    /// The Swift compiler, such as `6.3.1`; `nil` for a module in another language.
    package var compiler: String?
    /// The target triple.
    package var target: String?
    /// A digest of everything that the module was built from, in hexadecimal digits.
    package var inputs: String?

    package init(
        abi: Int, interface: InterfaceVersion? = nil, compiler: String? = nil,
        target: String? = nil, inputs: String? = nil
    ) {
        self.abi = abi
        self.interface = interface
        self.compiler = compiler
        self.target = target
        self.inputs = inputs
    }
}

extension BuildTag {
    /// The tag's members in the note, next to those of the declaration.
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

    /// Parses the tag, and reports problems to `parser`.
    ///
    /// - Returns: `nil` if the ABI version cannot be read.
    init?(_ node: JSONNode, key: String, parser: inout DeclarationParser) {
        interface = parser.interface(of: node, key)
        compiler = parser.optionalText("compiler", of: node, key, .name)
        target = parser.optionalText("target", of: node, key, .name)
        inputs = parser.optionalText("inputs", of: node, key, .name)
        guard let abi = parser.abi(of: node, key) else { return nil }
        self.abi = abi
    }
}

extension DeclarationParser {
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

/// A version of the interface. A module runs in a host with the same major version and at least the
/// module's minor version.
package struct InterfaceVersion: Hashable, Sendable {
    package var major: Int
    package var minor: Int

    package init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Parses a text such as `1.0`: two decimal numbers.
    ///
    /// - Returns: `nil` for any other text.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let major = Self.number(parts[0]), let minor = Self.number(parts[1])
        else { return nil }
        self.init(major: major, minor: minor)
    }

    /// The first two numbers of a module's version: `1.2` of `1.2.3` and of `1.2.0-beta`.
    package static func ofModule(_ version: String) -> InterfaceVersion? {
        let parts = version.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, let major = number(parts[0]), let minor = number(parts[1]) else {
            return nil
        }
        return InterfaceVersion(major: major, minor: minor)
    }

    /// Whether a module that was built against another version can use this one: a later minor version will
    /// do.
    package func serves(_ built: InterfaceVersion) -> Bool {
        major == built.major && self >= built
    }

    private static func number(_ text: Substring) -> Int? {
        // The initialiser of Int accepts a sign too.
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            ? Int(text) : nil
    }
}

extension InterfaceVersion: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}

extension InterfaceVersion: CustomStringConvertible {
    package var description: String { "\(major).\(minor)" }
}

extension BinaryReport {
    /// The function that every module exports: the host calls it to let the module register.
    package static let entryName = "eaves_register"

    /// Whether the binary defines the entry point of a module.
    package var hasEntry: Bool { defines(function: Self.entryName) }
}
