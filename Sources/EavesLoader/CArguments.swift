// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Arguments as C wants them: one block of zero-terminated texts and a NULL-terminated list.
struct CArguments {
    private var text: [CChar] = []
    private var offsets: [Int] = []

    init(_ arguments: [String]) {
        for argument in arguments {
            offsets.append(text.count)
            text += argument.utf8CString
        }
    }

    /// The pointers are valid during the call.
    func withPointers<Result>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        text.withUnsafeBufferPointer { text in
            let pointers = offsets.map { text.baseAddress?.advanced(by: $0) } + [nil]
            // SAFETY: there is always the closing nil, so the list has a first element.
            return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
        }
    }
}
