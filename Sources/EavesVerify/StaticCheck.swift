// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A check that runs no code of the module.
protocol StaticCheck: Check {
    static func run(_ subject: Subject) -> Finding
}
