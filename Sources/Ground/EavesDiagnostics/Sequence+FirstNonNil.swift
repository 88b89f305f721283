// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

extension Sequence {
    /// Returns the first result that is not nil, and asks for no further ones.
    ///
    /// Each element is asked once. `lazy.compactMap(…).first` asks the one that it finds twice, and traps if the second
    /// answer is nil, as that of a file may be that has gone meanwhile; so the gate refuses it.
    package func firstNonNil<Result>(_ transform: (Element) -> Result?) -> Result? {
        for element in self {
            if let result = transform(element) { return result }
        }
        return nil
    }
}
