// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
import EavesDiagnostics
import EavesJSON
import EavesSystem

/// The textual interface of a Swift module: all that the compiler has to see of it.
package struct InterfaceText: Hashable, Sendable {
    /// The end of the name of a file that holds one.
    package static let suffix = ".swiftinterface"

    /// The whole text, with the header that ``InterfaceHeader`` allows.
    package let bytes: [UInt8]
    /// The files that a package brings besides, sorted by their names: the texts of other Swift modules, such as
    /// `DequeModule.swiftinterface`, and the module maps and headers of modules in C, such as `CShims/shims.h`.
    package let companions: [Companion]

    package struct Companion: Hashable, Sendable {
        /// Relative to the folder that the compiler searches.
        package let name: String
        package let bytes: [UInt8]

        /// The Swift module whose text it is; `nil` for a file in C.
        var module: String? {
            name.hasSuffix(InterfaceText.suffix)
                ? String(name.dropLast(InterfaceText.suffix.utf8.count)) : nil
        }

        /// The file with its text changed; a file in C stays as it is.
        func changed(_ change: ([UInt8]) -> [UInt8]) -> Companion {
            module == nil ? self : Companion(name: name, bytes: change(bytes))
        }
    }

    /// - Parameter bytes: The text as a compiler wrote it, or as it is in a file that anybody may have made.
    package init(_ bytes: [UInt8], companions: [String: [UInt8]] = [:]) {
        self.bytes = InterfaceHeader.rewritten(bytes)
        self.companions = companions.sorted { $0.key < $1.key }
            .map { Companion(name: $0, bytes: $1).changed(InterfaceHeader.rewritten) }
    }

    /// The names of the other Swift modules, sorted.
    package var otherModules: [String] { companions.compactMap(\.module) }

    package var modulesInC: [String] {
        let names = companions.filter { $0.module == nil }.compactMap { companion in
            companion.name.split(separator: "/").first.map(String.init)
        }
        return Set(names).sorted()
    }

    /// The texts without their comments, which only tell how they were made: the same for all bodies and for
    /// both configurations.
    package var content: [UInt8] {
        companions.reduce(into: Self.content(of: bytes)) { all, companion in
            all += "\n\(companion.name)\n".utf8
            all += companion.changed(Self.content(of:)).bytes
        }
    }

    package static func content(of bytes: [UInt8]) -> [UInt8] {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        return Array(lines.filter { !$0.starts(with: "//".utf8) }.joined(separator: "\n".utf8))
    }

    /// The modules that the text imports, without those that the compiler imports by itself.
    package var imports: [String] {
        let own: Set = ["Swift", "SwiftOnoneSupport"]
        return allImports.filter { !$0.hasPrefix("_") && !own.contains($0) }
    }

    package var allImports: [String] {
        let prefix = InterfaceHeader.alias(of: "")
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard let place = words.firstIndex(of: "import"), place + 1 < words.endIndex,
                words[..<place].allSatisfy({ $0 == "public" || $0.hasPrefix("@") })
            else { return nil }
            let word = String(words[place + 1])
            return word.hasPrefix(prefix) ? String(word.dropFirst(prefix.count)) : word
        }
    }

    package var digest: String {
        var hash = SHA256()
        hash.update(bytes)
        for companion in companions {
            hash.update("\n\(companion.name)\n".utf8)
            hash.update(companion.bytes)
        }
        return hash.finalize().hex
    }

    package var companionSection: [UInt8] {
        let members = companions.map { companion in
            JSON.Member(
                name: companion.name,
                value: .string(String(decoding: companion.bytes, as: UTF8.self)))
        }
        return Array(JSON.object(members).text(pretty: false).utf8)
    }

    /// The texts in a file that anybody may have made.
    ///
    /// - Parameters:
    ///   - companionSection: The section with the companions; `nil` if there is none.
    ///   - stamp: The stamp in the file's note.
    /// - Returns: `nil` if it has other texts than the note says, or files whose names lead elsewhere.
    package init?(_ section: [UInt8], companionSection: [UInt8]?, of stamp: InterfaceStamp) {
        var companions: [String: [UInt8]] = [:]
        if let companionSection {
            guard let members = (try? JSONNode.parse(companionSection))?.members else { return nil }
            for member in members {
                guard let text = member.value.string else { return nil }
                companions[member.name] = Array(text.utf8)
            }
        }
        self.init(section, companions: companions)
        guard otherModules == stamp.otherModules,
            self.companions.allSatisfy({ $0.module != nil || Self.isFileInC($0.name) })
        else { return nil }
    }

    /// Whether a name is that of a file in the folder of a C module, at most a few folders deep.
    package static func isFileInC(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return (2...8).contains(parts.count)
            && parts.allSatisfy { part in
                let isNamed = part.first.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
                return isNamed && InterfaceHeader.isPlain(part)
            }
    }

    /// The names of the public protocols, with the names of the types around them. Sorted.
    ///
    /// - Parameter module: The name of the Swift module, which stands before the names of types that the text extends.
    package func protocols(of module: String) -> [String] {
        // Older texts name the module without the compiler's alias.
        let prefixes = ["\(InterfaceHeader.alias(of: module)).", "\(module)."]
        let names = SwiftDeclarations(bytes).publicProtocols.map { name in
            let bare = name.filter { $0 != "`" }
            let prefix = prefixes.first(where: bare.hasPrefix) ?? ""
            return String(bare.dropFirst(prefix.count))
        }
        return Set(names).sorted()
    }
}

/// The section of an interface module's file that has its textual interface.
package enum InterfaceSection {
    package static let name = ".eaves_interface"
    /// The section with what a package brings besides, an object in JSON: textual interfaces of other Swift modules, and
    /// files of modules in C, by their names.
    package static let companions = ".eaves_companions"
    /// No interface is larger. In bytes.
    package static let sizeLimit = 16 << 20
}

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
        let named = companions.map { ($0.name, $0.changed { Self.naming($0, types) }.bytes) }
        return InterfaceText(
            Self.naming(bytes, types), companions: Dictionary(uniqueKeysWithValues: named))
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
            // An alias may be the beginning of a longer word.
            text = text.substituting(InterfaceHeader.alias(of: name), with: name) { following in
                following.utf8.first.map { !$0.isPartOfWord && $0 < 0x80 } ?? true
            }
        }
        return Array(text.utf8)
    }
}

/// The lines of a textual interface that begin with `// swift-`. They look like comments, and the compiler obeys them:
/// it takes options from them, and some options make it run a program.
///
/// An interface comes from a file that others may have made, so its header is written anew, with options that only
/// say how the text is to be read. Whatever is not known to be harmless is left out.
package enum InterfaceHeader {
    private static let mark = "// swift-"

    /// The lines that the compiler reads, and what may follow each.
    private static let kinds: [(name: String, admitted: @Sendable (Substring) -> String?)] = [
        ("interface-format-version", { isPlain($0) ? String($0) : nil }),
        ("compiler-version", { String($0) }),
        ("module-flags", options),
        ("module-flags-ignorable", options),
        ("module-flags-ignorable-private", options),
    ]

    /// The text with its header written anew. Rewriting it again changes nothing.
    static func rewritten(_ bytes: [UInt8]) -> [UInt8] {
        // The compiler takes such a line wherever it stands, and of several the first.
        var seen: Set<String> = []
        let newline = UInt8(ascii: "\n")
        let lines = bytes.split(separator: newline, omittingEmptySubsequences: false)
        let kept = lines.compactMap { line -> ArraySlice<UInt8>? in
            guard line.starts(with: mark.utf8) else { return line }
            let text = String(decoding: line.dropFirst(mark.utf8.count), as: UTF8.self)
            guard let end = text.firstIndex(of: ":"),
                let kind = kinds.first(where: { $0.name == text[..<end] }),
                let words = kind.admitted(text[text.index(after: end)...].drop { $0 == " " }),
                seen.insert(kind.name).inserted
            else { return nil }
            return Array("\(mark)\(kind.name): \(words)".utf8)[...]
        }
        return Array(kept.joined(separator: [newline]))
    }

    /// The options that say how the text is to be read.
    private static let switches: Set<String> = [
        "-O", "-Onone", "-Osize", "-Ounchecked", "-enable-library-evolution",
        "-enable-objc-interop", "-disable-objc-interop", "-enable-bare-slash-regex",
        "-enforce-exclusivity=checked",
        "-enforce-exclusivity=unchecked", "-strict-memory-safety", "-enable-ossa-modules",
        "-no-verify-emitted-module-interface", "-formal-cxx-interoperability-mode=off",
    ]

    /// Those of them that a word follows.
    private static let settings: Set<String> = [
        "-target", "-swift-version", "-language-mode", "-module-name", "-module-abi-name",
        "-package-name", "-user-module-version", "-enable-upcoming-feature",
        "-enable-experimental-feature", "-default-isolation", "-interface-compiler-version",
    ]

    /// The admitted ones among options, with the words that follow them.
    private static func options(_ text: Substring) -> String {
        let words = text.split(separator: " ")
        var kept: [Substring] = []
        var place = words.startIndex
        while place < words.endIndex {
            let (word, next) = (words[place], place + 1)
            place = next
            if switches.contains(String(word)) {
                kept.append(word)
            } else if next < words.endIndex,
                settings.contains(String(word)) && isPlain(words[next])
                    || word == "-module-alias" && isAlias(words[next])
            {
                kept += [word, words[next]]
                place = next + 1
            }
        }
        return kept.joined(separator: " ")
    }

    /// The name that the compiler gives a module in the text, so that no type has it.
    static func alias(of module: some StringProtocol) -> String { "Module___\(module)" }

    /// Whether a word gives a module that name: `Module___Clock=Clock`.
    private static func isAlias(_ word: Substring) -> Bool {
        let names = word.split(separator: "=", omittingEmptySubsequences: false)
        return names.count == 2 && isPlain(names[1]) && names[0] == alias(of: names[1])
    }

    /// Whether a word is the value of an option for everybody: no option, no path, nothing in quotes.
    static func isPlain(_ word: Substring) -> Bool {
        word.first != "-"
            && word.utf8.allSatisfy { $0.isPartOfWord || ".-+".utf8.contains($0) }
    }
}
