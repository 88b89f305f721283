// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What loading and registering did beside that.
struct RegistrationTraces {
    let before = Surroundings()
    private(set) var after: Surroundings?
    private let printedBefore = ProbeOutput.size
    /// How much was printed meanwhile, in bytes.
    private(set) var printed = 0
    private var mark = ContinuousClock.now
    private(set) var loading: Duration = .zero
    private(set) var registering: Duration = .zero

    init() {
        // Last, so that looking around is not counted.
        mark = .now
    }

    mutating func noteLoaded() {
        loading = .now - mark
        mark = .now
    }

    mutating func noteRegistered() {
        registering = .now - mark
        printed = ProbeOutput.size - printedBefore
        after = Surroundings()
    }
}
