// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves

/// The command's version, and what it offers to modules.
enum Version {
    static let number = "0.1.0"

    static var text: String {
        "eaves \(number) (interface \(EAVES_INTERFACE_MAJOR).\(EAVES_INTERFACE_MINOR), "
            + "ABI \(EAVES_ABI_VERSION))"
    }
}
