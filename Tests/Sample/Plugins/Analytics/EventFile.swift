// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Glibc

/// Appends each event to a file as one line of JSON.
///
/// Each line is a single `write` to a file that is open for appending, so lines of several threads and
/// processes do not mix.
struct EventFile: EventHandler {
    let path: String

    func handle(_ event: Event) async throws {
        let line = Array((EventLine(event: event, time: time(nil)).json + "\n").utf8)
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw EventFileError(path: path, code: errno) }
        defer { close(file) }
        guard write(file, line, line.count) == line.count else {
            throw EventFileError(path: path, code: errno)
        }
    }
}

/// An event cannot be written to its file.
struct EventFileError: Error, CustomStringConvertible {
    let path: String
    let code: Int32

    var description: String { "cannot write \(path): \(String(cString: strerror(code)))" }
}

/// An event as a JSON object: `{"time":…,"event":…,"attributes":{…}}`, the attributes
/// sorted by name.
struct EventLine {
    let event: Event
    /// In seconds since 1970.
    let time: Int

    var json: String {
        let attributes = event.attributes.sorted { $0.key < $1.key }
            .map { "\(quoted($0.key)):\(quoted($0.value))" }
            .joined(separator: ",")
        return #"{"time":\#(time),"event":\#(quoted(event.name)),"attributes":{\#(attributes)}}"#
    }

    private func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\u{0}"..."\u{1f}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
