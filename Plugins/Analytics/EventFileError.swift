// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An event could not be noted.
struct EventFileError: Error, CustomStringConvertible {
    let path: String
    let code: Int32

    var description: String { "cannot write \(path): \(String(cString: strerror(code)))" }
}
