// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// How a module is compiled. Either kind runs in either kind of host.
package enum BuildConfiguration: String, CaseIterable, Sendable {
    /// Quick to build and to step through.
    case debug
    /// Optimised.
    case release

    /// What it adds to the compiler's command line.
    var flags: [String] {
        switch self {
        case .debug: ["-Onone", "-g"]
        case .release: ["-O"]
        }
    }
}
