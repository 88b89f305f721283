// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// The program that runs.
enum HostExecutable {
    /// Its file, wherever it was started from.
    static var path: String { Files.resolved("/proc/self/exe") ?? CommandLine.arguments[0] }
}
