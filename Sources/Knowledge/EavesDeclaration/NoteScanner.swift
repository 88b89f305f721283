// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Reads a note that has the form in which `eaves build` writes it, in one pass and without building a
/// JSON tree, because a first scan of many modules reads many notes.
///
/// The scanner understands less than ``NoteDocument``. It gives up on any other form, and then
/// ``NoteDocument`` reads the note and reports what is wrong. Both read the same from the notes that both
/// understand.
package struct NoteScanner {
    /// The note has another form.
    private struct Unexpected: Error {}

    /// Modules that anybody writes have fewer names of one kind.
    private static let longestList = 256

    private let bytes: [UInt8]
    /// The next byte to read.
    private var offset = 0

    /// - Returns: `nil` for a note that ``NoteDocument`` has to read.
    package static func note(_ bytes: [UInt8]) -> ModuleNote? {
        var scanner = NoteScanner(bytes: bytes)
        return try? scanner.note()
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func note() throws(Unexpected) -> ModuleNote {
        var found: ModuleNote?
        var name: String?
        var isOurs = false
        try object(["type", "name", "version", "architecture", "eaves"]) {
            scanner, key throws(Unexpected) in
            switch key {
            case 0: isOurs = try scanner.text() == ModuleNote.type
            case 1: name = try scanner.text()
            case 4: found = try scanner.content()
            default: _ = try scanner.text()
            }
        }
        // Linkers and authors fill up the text with zero bytes.
        guard isOurs, let found, name == found.declaration.id,
            bytes[offset...].allSatisfy({ $0 == 0 })
        else { throw Unexpected() }
        return found
    }

    private static let contentKeys: [StaticString] = [
        "id", "version", "summary", "layer", "provides", "requires", "features", "abi",
        "interface", "compiler", "target", "inputs", "interfaces", "module", "protocols",
        "owner", "otherModules",
    ]

    private mutating func content() throws(Unexpected) -> ModuleNote {
        var declaration = ModuleDeclaration(id: "", version: "", layer: .core)
        var tag = BuildTag(abi: 0)
        var interface = InterfaceContent(module: "", protocols: [])
        let found = try object(Self.contentKeys) { scanner, key throws(Unexpected) in
            switch key {
            case 0: declaration.id = try scanner.text(.moduleID)
            case 1: declaration.version = try scanner.text(.version)
            case 2: declaration.summary = try scanner.text()
            case 3: declaration.layer = try scanner.layer()
            case 4: declaration.provides = try scanner.provisions()
            case 5: declaration.requires = try scanner.names()
            case 6: declaration.features = try scanner.features()
            case 7: tag.abi = try scanner.number()
            case 8: tag.interface = try scanner.interface()
            case 9: tag.compiler = try scanner.text(.name)
            case 10: tag.target = try scanner.text(.name)
            case 11: tag.inputs = try scanner.text(.name)
            case 12: declaration.interfaces = try scanner.interfaces()
            case 13: interface.module = try scanner.text(.swiftModule)
            case 14: interface.protocols = try scanner.names()
            case 15: declaration.owner = try scanner.text(.moduleID)
            default: interface.otherModules = try scanner.moduleNames()
            }
        }
        // The id, the version, the layer and the ABI version are mandatory.
        let needed: UInt32 = 0b1000_1011
        guard found & needed == needed else { throw Unexpected() }
        if declaration.layer == .interface {
            let isWhole =
                found & 0b0010_0000_0000_0000 != 0 && declaration.interfaceVersion != nil
                && declaration.capabilities.isEmpty && declaration.requires.isEmpty
                && declaration.owner != declaration.id
            guard isWhole else { throw Unexpected() }
            declaration.interface = interface
        } else if declaration.owner != nil {
            throw Unexpected()
        }
        return ModuleNote(declaration: declaration, tag: tag)
    }

    private mutating func layer() throws(Unexpected) -> Layer {
        guard let layer = Layer(rawValue: try text()) else { throw Unexpected() }
        return layer
    }

    private mutating func interface() throws(Unexpected) -> InterfaceVersion {
        guard let version = InterfaceVersion(try text()) else { throw Unexpected() }
        return version
    }

    private mutating func provisions() throws(Unexpected) -> [Provision] {
        try list { scanner throws(Unexpected) in
            var provision = Provision(service: "")
            let found = try scanner.object(["service", "name"]) { scanner, key throws(Unexpected) in
                if key == 0 {
                    provision.service = try scanner.text(.serviceName)
                } else {
                    provision.name = try scanner.text(.name)
                }
            }
            guard found & 1 == 1 else { throw Unexpected() }
            return provision
        }
    }

    private mutating func names() throws(Unexpected) -> [String] {
        try list { scanner throws(Unexpected) in try scanner.text(.serviceName) }
    }

    private mutating func moduleNames() throws(Unexpected) -> [String] {
        try list { scanner throws(Unexpected) in try scanner.text(.swiftModule) }
    }

    private mutating func interfaces() throws(Unexpected) -> [InterfaceNeed] {
        let needs = try list { scanner throws(Unexpected) in
            var (id, module) = ("", "")
            var version: InterfaceVersion?
            var others: [String] = []
            let found = try scanner.object(["id", "module", "version", "otherModules"]) {
                scanner, key throws(Unexpected) in
                switch key {
                case 0: id = try scanner.text(.moduleID)
                case 1: module = try scanner.text(.swiftModule)
                case 2: version = try scanner.interface()
                default: others = try scanner.moduleNames()
                }
            }
            guard found & 0b111 == 0b111, let version else { throw Unexpected() }
            return InterfaceNeed(
                id, built: InterfaceStamp(module: module, version: version, otherModules: others))
        }
        for (index, need) in needs.enumerated()
        where needs[..<index].contains(where: { $0.id == need.id }) {
            throw Unexpected()
        }
        return needs
    }

    private mutating func features() throws(Unexpected) -> [FeatureDeclaration] {
        let features = try list { scanner throws(Unexpected) in
            var feature = FeatureDeclaration(name: "")
            let found = try scanner.object(["name", "summary"]) { scanner, key throws(Unexpected) in
                if key == 0 {
                    feature.name = try scanner.text(.featureName)
                } else {
                    feature.summary = try scanner.text()
                }
            }
            guard found & 1 == 1 else { throw Unexpected() }
            return feature
        }
        // Two features with one name are a mistake, whatever their summaries say.
        for (index, feature) in features.enumerated()
        where features[..<index].contains(where: { $0.name == feature.name }) {
            throw Unexpected()
        }
        return features
    }
}

// The part of JSON's grammar that `eaves build` uses.
extension NoteScanner {
    /// Reads an object that has only these members, each at most once.
    ///
    /// - Returns: A bit for each key that was there; the first key has the lowest bit.
    @discardableResult
    private mutating func object(
        _ keys: [StaticString],
        _ member: (inout NoteScanner, Int) throws(Unexpected) -> Void
    ) throws(Unexpected) -> UInt32 {
        var found: UInt32 = 0
        try take("{")
        repeat {
            let key = try key(among: keys)
            guard found & 1 << key == 0 else { throw Unexpected() }
            found |= 1 << key
            try take(":")
            try member(&self, key)
        } while try goesOn(to: "}")
        return found
    }

    /// Reads a list without equal elements, unless it is so long that comparing them takes long.
    private mutating func list<Element: Equatable>(
        _ element: (inout NoteScanner) throws(Unexpected) -> Element
    ) throws(Unexpected) -> [Element] {
        var elements: [Element] = []
        try take("[")
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "]") {
            offset += 1
            return elements
        }
        repeat {
            let next = try element(&self)
            guard elements.count < Self.longestList, !elements.contains(next) else {
                throw Unexpected()
            }
            elements.append(next)
        } while try goesOn(to: "]")
        return elements
    }

    private mutating func goesOn(to closing: Unicode.Scalar) throws(Unexpected) -> Bool {
        guard offset < bytes.count else { throw Unexpected() }
        let byte = bytes[offset]
        guard byte == UInt8(ascii: ",") || byte == UInt8(ascii: closing) else { throw Unexpected() }
        offset += 1
        return byte == UInt8(ascii: ",")
    }

    private mutating func take(_ expected: Unicode.Scalar) throws(Unexpected) {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: expected) else {
            throw Unexpected()
        }
        offset += 1
    }

    private mutating func key(among keys: [StaticString]) throws(Unexpected) -> Int {
        let range = try string()
        for (index, key) in keys.enumerated() where key.utf8CodeUnitCount == range.count {
            if key.withUTF8Buffer({ $0.elementsEqual(bytes[range]) }) { return index }
        }
        throw Unexpected()
    }

    private mutating func text(_ rule: NameRule = .line) throws(Unexpected) -> String {
        let range = try string()
        let text = String(decoding: bytes[range], as: UTF8.self)
        // `string()` accepts only strings that are one line.
        guard rule == .line || rule.allows(text) else { throw Unexpected() }
        return text
    }

    /// Reads a string of printable ASCII characters.
    ///
    /// - Returns: Its place, without the quotes.
    private mutating func string() throws(Unexpected) -> Range<Int> {
        try take("\"")
        let start = offset
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            if byte == UInt8(ascii: "\"") { return start..<offset - 1 }
            guard byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\\") else { break }
        }
        throw Unexpected()
    }

    /// Reads a number of at most ten digits.
    private mutating func number() throws(Unexpected) -> Int {
        let start = offset
        var number = 0
        while offset < bytes.count, let digit = Int(exactly: bytes[offset]).map({ $0 - 0x30 }),
            (0...9).contains(digit)
        {
            number = 10 * number + digit
            offset += 1
            guard offset - start < 10 else { throw Unexpected() }
        }
        guard offset > start, bytes[start] != 0x30 || offset == start + 1 else {
            throw Unexpected()
        }
        return number
    }
}
