// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import BookAPI
import EavesInterface
import Glibc
import Synchronization

enum BookModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any Book).self, scope: .shared) { _ in KeptBook() }
    }
}

struct NoPlace: Error, CustomStringConvertible {
    let description = "guests come from a place"
}

final class KeptBook: Book {
    private let guests = Mutex<[Guest]>([])

    func sign(_ guest: consuming Guest, in place: String?) async throws -> [Guest] {
        guard let place else { throw NoPlace() }
        var guest = guest
        guest.places[place, default: 0] += 1
        return guests.withLock { guests in
            guests.append(guest)
            return guests
        }
    }

    func clear() async throws { guests.withLock { $0 = [] } }

    var title: String { get async throws { "the book of \(getpid())" } }
}
