// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesLoader

/// Shows the module a host that accepts nothing.
enum RefusedRegistrationCheck: DirectCheck {
    static let id = "refused-registration"
    static let meaning = "a host that refuses what it registers does it no harm"
    static let needs = [RegistersCheck.id]
    static let stage = TrialStage.strange
    static let isWhatHostsDo = false

    static func run(_ trial: Trial) throws -> Finding {
        try trial.registerOrRefuse(shown: .refusing)
    }
}
