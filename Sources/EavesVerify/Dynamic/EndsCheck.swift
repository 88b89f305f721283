// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Lets the process exit, and looks how that goes. There is nothing to call: what the probe does
/// last is this.
enum EndsCheck: DynamicCheck {
    static let id = "ends"
    static let meaning = "the host can exit: what it does at the end comes to an end"
    static let needs = [RegistersCheck.id]
}
