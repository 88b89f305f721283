// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesLoader

/// Shows the module a host whose ABI it cannot know.
enum UnknownABICheck: DirectCheck {
    static let id = "unknown-abi"
    static let meaning = "a host of another ABI version does it no harm: it registers, or refuses"
    static let needs = [RegistersCheck.id]
    static let stage = TrialStage.strange
    static let isWhatHostsDo = false

    static func run(_ trial: Trial) throws -> Finding {
        try trial.registerOrRefuse(shown: .unknown)
    }
}
