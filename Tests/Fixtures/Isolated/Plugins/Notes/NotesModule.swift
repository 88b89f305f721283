// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization
import WorkAPI

enum NotesModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any Notes).self, scope: .shared) { _ in KeptNotes() }
    }
}

final class KeptNotes: Notes {
    private let texts = Mutex<[String]>([])

    func keep(_ text: String) async throws -> Int {
        if text == "fail" { throw WorkError("the host refuses") }
        return texts.withLock { texts in
            if !text.isEmpty { texts.append(text) }
            return texts.count
        }
    }
}
