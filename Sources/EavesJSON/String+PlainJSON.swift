// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Hands over the bytes of a text of which nothing has to be escaped, as most are.
    ///
    /// - Parameter body: Must not keep the pointer.
    /// - Returns: Whether it is such a text.
    func withPlainJSON(_ body: (UnsafeBufferPointer<UInt8>) -> Void) -> Bool {
        utf8.withContiguousStorageIfAvailable { bytes in
            guard bytes.allSatisfy(\.isPlainJSON) else { return false }
            body(bytes)
            return true
        } ?? false
    }
}
