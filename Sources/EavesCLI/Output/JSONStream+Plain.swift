// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesJSON

/// The elements of `eaves list --json` that are made of the cache's bytes. They look as those do that
/// are written member by member; what stands between the texts is written in one piece.
extension JSONStream {
    mutating func write(_ feature: PlainFeature, of plain: PlainModules) {
        element { json in
            json.raw("{\n      \"name\": \"")
            json.raw(feature.name, of: plain)
            json.raw("\",\n      \"summary\": \"")
            json.raw(feature.summary, of: plain)
            json.raw("\",\n      \"module\": \"")
            json.raw(feature.module, of: plain)
            json.raw("\",\n      \"state\": \"ready\"\n    }")
        }
    }

    /// - Parameter folder: What stands before the name of the file, as in a JSON string.
    mutating func write(_ module: PlainModule, in folder: [UInt8], of plain: PlainModules) {
        element { json in
            json.raw("{\n      \"id\": \"")
            json.raw(module.id, of: plain)
            json.raw("\",\n      \"version\": \"")
            json.raw(module.version, of: plain)
            json.raw("\",\n      \"path\": \"")
            json.raw(folder.span)
            json.raw(module.fileName, of: plain)
            json.raw(
                "\",\n      \"state\": \"ready\",\n      \"problem\": null,\n      \"provides\": ")
            json.raw(module.provides, of: plain)
            json.raw(",\n      \"requires\": ")
            json.raw(module.requires, of: plain)
            json.raw(",\n      \"pinned\": false\n    }")
        }
    }

    private mutating func raw(_ text: CachedText, of plain: PlainModules) {
        plain.withBytes(of: text) { raw($0) }
    }

    private mutating func raw(_ texts: CachedTexts, of plain: PlainModules) {
        guard texts.count > 0 else { return raw("[]") }
        raw("[")
        var isFirst = true
        plain.forEach(texts) { text in
            raw(isFirst ? "\n        \"" : ",\n        \"")
            raw(text)
            raw("\"")
            isFirst = false
        }
        raw("\n      ]")
    }
}
