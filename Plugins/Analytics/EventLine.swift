// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// An event as one JSON object: `{"time":…,"event":…,"attributes":{…}}`, its keys in order.
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
