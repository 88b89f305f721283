// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

// The names of modules in textual interfaces.
extension InterfaceText {
    /// The texts with modules under their own names where a body names them so.
    ///
    /// The compiler gives each module an alias in the text, so that `Clock.Time` means the module although it has a type
    /// `Clock`. But it prints bodies that may be inlined as their authors wrote them, and a module with an alias has no
    /// other name there: such a text does not compile. Without the alias it does, unless a type has the module's name.
    package var namingModulesAsBodiesDo: InterfaceText {
        let texts = [bytes] + companions.filter { $0.module != nil }.map(\.bytes)
        let types = Set(texts.flatMap { SwiftDeclarations($0).types.map(\.name) })
        return InterfaceText(
            Self.naming(bytes, types),
            companions: Dictionary(
                uniqueKeysWithValues: companions.map { companion in
                    let isText = companion.module != nil
                    return (
                        companion.name,
                        isText ? Self.naming(companion.bytes, types) : companion.bytes
                    )
                }))
    }

    private static func naming(_ bytes: [UInt8], _ types: Set<String>) -> [UInt8] {
        let tokens = Array(SwiftTokens(bytes))
        var named: Set<String> = []
        for (index, token) in tokens.enumerated() {
            guard case .word(let word) = token.kind, !types.contains(word),
                index + 1 < tokens.count, tokens[index + 1].kind == .symbol(UInt8(ascii: ".")),
                index == 0 || tokens[index - 1].kind != .symbol(UInt8(ascii: "."))
            else { continue }
            named.insert(word)
        }
        var text = String(decoding: bytes, as: UTF8.self)
        for name in named.sorted() {
            let option = " -module-alias \(InterfaceHeader.alias(of: name))=\(name)"
            guard text.includes(option) else { continue }
            text = text.removing(option)
            text = replacing(InterfaceHeader.alias(of: name), by: name, in: text)
        }
        return Array(text.utf8)
    }

    /// Replaces a word wherever it is not the beginning of a longer one.
    private static func replacing(_ word: String, by other: String, in text: String) -> String {
        var (done, rest) = ("", text)
        while let before = rest.part(before: word), let after = rest.part(after: word) {
            let isWhole = after.utf8.first.map { !isPartOfName($0) } ?? true
            done += before + (isWhole ? other : word)
            rest = String(after)
        }
        return done + rest
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }
}
