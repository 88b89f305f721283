// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Stands in a module that the fixture is compiled against and not linked to.
public func greeting(for name: String, times: Int) -> String {
    String(repeating: "Hello, \(name)! ", count: times)
}
