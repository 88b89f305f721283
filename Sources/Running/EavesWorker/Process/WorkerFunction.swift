// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The functions of a worker itself, which a host calls as requirements of the instance 0.
enum WorkerFunction: Int, Sendable {
    /// Tells what the module has registered.
    case begin
    /// The functions of the module's life cycle.
    case start, stop, health, snapshot, restore
}
