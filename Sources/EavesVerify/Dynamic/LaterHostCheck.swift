// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesDiagnostics
import EavesHost
import EavesLoader
import EavesRegistry

/// Shows the module a host whose table has grown.
enum LaterHostCheck: DirectCheck {
    static let id = "later-host"
    static let meaning = "it registers as well in a later host, whose table has grown"
    static let needs = [DeclarationKeptCheck.id]
    static let stage = TrialStage.later
    static let isWhatHostsDo = false

    static func run(_ trial: Trial) throws -> Finding {
        let registrar = trial.makeRegistrar()
        let module = try trial.load()
        do throws(LoadError) {
            try module.register(in: registrar, shown: .later) { _ in }
        } catch {
            return trial.failure(
                "does not register in a later host: \(error.diagnostic(of: trial.entry.id).message)",
                fix: "ask that 'size' of eaves_host reaches as far as you read, not for one size",
                .incompatible)
        }
        if let declaration = trial.entry.declaration {
            try DeclarationCheck.run(registrar.registrations, against: declaration)
        }
        return .passed
    }
}
