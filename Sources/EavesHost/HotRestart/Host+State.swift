// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

extension Host {
    /// Snapshots of the state of all modules that hand it over, by their ids.
    func handedState() throws -> HandedState { [:] }

    /// Lets the modules restore their state: those that are loaded now, and the others when they are loaded.
    func restore(_ state: HandedState) throws {}
}
