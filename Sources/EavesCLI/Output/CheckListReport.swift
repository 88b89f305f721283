// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesVerify

/// What `eaves verify --list-checks` shows, as JSON and as a table.
struct CheckListReport {
    var json: JSON {
        let checks = CheckList.all.map { check -> JSON in
            ["id": .string(check.id), "meaning": .string(check.meaning)]
        }
        return ["schema": 1, "checks": .array(checks)]
    }

    var text: String {
        var table = Table(headings: ["CHECK", "MEANS"])
        table.rows = CheckList.all.map { [$0.id, $0.meaning] }
        return table.text
    }
}
