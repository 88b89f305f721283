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
