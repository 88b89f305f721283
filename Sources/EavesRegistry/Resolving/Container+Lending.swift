// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
package import EavesInterface
import Synchronization

extension Container {
    package func lend(_ service: Any.Type, name: String?) -> Loan {
        let section = eaves_reader_current().openForLoan()
        guard let kept = kept(.plain(service, name: name)) else {
            section?.pointee.store(0, ordering: .releasing)
            return Loan()
        }
        return Loan(kept, until: section)
    }

    /// Points to what is kept under a key, here or in the first container above that has the key.
    @inline(__always)
    private func kept(_ key: ServiceKey) -> UnsafeRawPointer? {
        if let found = registration(of: key) {
            return found._withUnsafeGuaranteedRef { $0.made.load(ordering: .acquiring) }
        }
        return parent == nil ? nil : keptAbove(key)
    }

    @inline(never)
    private func keptAbove(_ key: ServiceKey) -> UnsafeRawPointer? { parent?.kept(key) }
}
