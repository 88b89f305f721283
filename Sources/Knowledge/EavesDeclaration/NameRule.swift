// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesManifest

/// The forms that names must have. People type names in shells, and names become parts of file names
/// and of printed lines.
package enum NameRule: Hashable, Sendable {
    case moduleID
    /// Like ``moduleID``, and may have capital letters.
    case featureName
    /// The name of a protocol, of at most 255 bytes.
    case serviceName
    /// A Swift type, such as `SunnyModule`, or `Sunny.Main` for one in another type.
    case typeName
    /// A C library as the linker knows it: `sqlite3` for `libsqlite3.so`.
    case library
    /// A folder inside of another one, such as `headers/public`.
    case folder
    /// The name of a Swift module: an identifier of ASCII characters.
    case swiftModule
    /// Like `1.0.0-beta.2+5`.
    case version
    /// One line without control characters, so that it cannot play tricks on a terminal.
    case line
    /// A ``line`` that is not empty.
    case name

    package func allows(_ text: String) -> Bool {
        switch self {
        case .moduleID: Names.isModuleID(text)
        case .featureName: Names.isWord(text, and: "._-")
        case .serviceName, .typeName: text.utf8.count <= 255 && Names.isServiceName(text)
        case .library: Names.isWord(text, and: "._+-")
        case .folder: Self.isInnerFolder(text)
        case .swiftModule: Self.isSwiftModule(text)
        case .version: Names.isVersion(text)
        case .line: text.isOneLine
        case .name: !text.isEmpty && text.isOneLine
        }
    }

    private static func isInnerFolder(_ text: String) -> Bool {
        guard text.isOneLine, text.utf8.count <= 255, text.utf8.first != UInt8(ascii: "-") else {
            return false
        }
        return text.split(separator: "/", omittingEmptySubsequences: false)
            .allSatisfy { !$0.isEmpty && $0.utf8.first != UInt8(ascii: ".") }
    }

    private static func isSwiftModule(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 64 else { return false }
        return !Names.isDigit(first)
            && text.utf8.allSatisfy { Names.isLetterOrDigit($0) || $0 == UInt8(ascii: "_") }
    }

    /// The rule in words, for messages: `small letters and digits, …`.
    var words: String {
        switch self {
        case .moduleID: "small letters and digits, with '.', '_' and '-' between, 64 bytes at most"
        case .featureName: "letters and digits, with '.', '_' and '-' between, 64 bytes at most"
        case .serviceName: "the name of a protocol, such as UserService"
        case .typeName: "the name of a Swift type, such as SunnyModule"
        case .library: "the name of a C library without 'lib' and '.so', such as sqlite3"
        case .folder: "a folder inside of the module's own, such as headers"
        case .swiftModule: "the name of a Swift module, such as WeatherAPI"
        case .version: "a version such as 1.0.0"
        case .line: "one line without control characters"
        case .name: "one line without control characters that is not empty"
        }
    }
}

/// The names of services, which are those of their protocols.
///
/// People write `UserService`. Two interfaces may both have a protocol of that name, so the note of a
/// built module says which one it means: `CommonInterface.UserService`, with the Swift module in front.
package enum ServiceName {
    /// The name without what qualifies it: `UserService` of `CommonInterface.UserService`.
    package static func word(_ name: String) -> String {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return name }
        return String(name[name.utf8.index(after: dot)...])
    }

    /// The name of the Swift module in front; `nil` if there is none.
    package static func module(_ name: String) -> String? {
        name.utf8.firstIndex(of: UInt8(ascii: ".")).map { String(name[..<$0]) }
    }

    /// Whether two names can mean the same service. A name that is not qualified means any service of that name.
    package static func agree(_ left: String, _ right: String) -> Bool {
        if left.utf8.count == right.utf8.count { return left == right }
        let (short, long) =
            left.utf8.count < right.utf8.count ? (left.utf8, right.utf8) : (right.utf8, left.utf8)
        let rest = long.dropLast(short.count)
        return rest.last == UInt8(ascii: ".") && long.suffix(short.count).elementsEqual(short)
    }

    package static func isAmong(_ names: [String], _ service: String) -> Bool {
        names.contains { agree($0, service) }
    }

    /// Whether one of the names can mean a service. Not generic: the runtime would look up at each start
    /// how a set is gone through.
    package static func isAmong(_ names: Set<String>, _ service: String) -> Bool {
        names.contains { agree($0, service) }
    }
}

/// One name for each service, although some modules write `UserService` and others `CommonInterface.UserService`.
package struct ServiceNames: Sendable {
    /// By the word without the Swift module.
    private let known: [String: Set<String>]
    /// The words that stand for several services.
    package let sharedWords: Set<String>

    /// - Parameter protocols: The qualified names of the protocols of interface modules. A module that is not built
    ///   names its services without the Swift module.
    package init(_ names: some Sequence<String>, protocols: some Sequence<String> = []) {
        let used = Dictionary(grouping: Set(names), by: ServiceName.word).mapValues { Set($0) }
        var known = used
        for name in protocols { known[ServiceName.word(name)]?.insert(name) }
        self.known = known
        sharedWords = Set(
            used.filter { word, names in
                names.count > 1
                    && Set(names.map { Self.fullest($0, among: known[word] ?? []) }).count > 1
            }.keys)
    }

    /// The services that modules declare to provide or to require.
    package init(of declarations: some Sequence<ModuleDeclaration>) {
        self.init(declarations.flatMap { $0.provides.map(\.service) + $0.requires })
    }

    /// The qualified name that a name means; the name as it is if that cannot be told.
    package func canonical(_ name: String) -> String {
        Self.fullest(name, among: known[ServiceName.word(name)] ?? [])
    }

    /// The name as people write it: without the Swift module, unless two services have the word.
    package func shown(_ name: String) -> String {
        let word = ServiceName.word(name)
        return sharedWords.contains(word) ? name : word
    }

    /// The services that a name can mean, by their longest names. Sorted.
    package func meanings(of name: String) -> [String] {
        let found = (known[ServiceName.word(name)] ?? []).filter { ServiceName.agree($0, name) }
        let longest = found.filter { Self.fullest($0, among: found) == $0 }
        return longest.filter { $0 != name || longest.count == 1 }.sorted()
    }

    private static func fullest(_ name: String, among names: Set<String>) -> String {
        let longer = names.filter { $0.utf8.count > name.utf8.count && ServiceName.agree($0, name) }
        return longer.count == 1 ? longer.first ?? name : name
    }
}
