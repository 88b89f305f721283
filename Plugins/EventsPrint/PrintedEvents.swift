// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import Glibc

/// Prints each event as one line, such as `event login.succeeded name="Alice"`.
struct PrintedEvents: EventHandler {
    /// A function that prints a line, which has no line ending yet.
    let printLine: @Sendable (String) throws -> Void

    func handle(_ event: Event) async throws {
        try printLine(Self.line(for: event))
    }

    /// The event's name and its attributes, sorted by their names.
    static func line(for event: Event) -> String {
        event.attributes.sorted { $0.key < $1.key }
            .reduce("event \(escaped(event.name))") { line, attribute in
                line + " \(escaped(attribute.key))=\"\(escaped(attribute.value))\""
            }
    }

    /// Writes characters that could end the line, or control a terminal, as `\u{…}`.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                escaped += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                if scalar == "\"" || scalar == "\\" { escaped += "\\" }
                escaped.unicodeScalars.append(scalar)
            }
        }
    }
}

/// Prints lines to a descriptor. Each is a single `write`, so that lines of several threads do not mix.
struct EventPrinter {
    static let standardError = EventPrinter(descriptor: STDERR_FILENO)

    let descriptor: Int32

    func print(_ line: String) throws(EventPrinterError) {
        let bytes = Array((line + "\n").utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw EventPrinterError(code: errno)
            }
        }
    }
}

/// An event cannot be printed.
struct EventPrinterError: Error, CustomStringConvertible {
    let code: Int32

    var description: String { "cannot print an event: \(String(cString: strerror(code)))" }
}
