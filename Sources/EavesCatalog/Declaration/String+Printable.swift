// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON

extension String {
    /// The text as messages and lists show it: the name of a file can hold anything.
    var printable: String {
        NameRule.name.allows(self) ? self : String(quoted.dropFirst().dropLast())
    }
}
