// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves
import EavesInterface

// SAFETY: holds an immutable copy, and `eaves.h` tells modules that any thread may call `launch`.
/// A feature that a module has registered through the C functions.
final class CFeature: Feature, @unchecked Sendable {
    private let feature: eaves_feature

    init(_ feature: eaves_feature) {
        self.feature = feature
    }

    deinit {
        feature.destroy?(feature.state)
    }

    func launch(_ launch: Launch) async throws -> ExitCode {
        let arguments = CArguments(launch.arguments)
        let code = arguments.withPointers { pointers in
            var launch = eaves_launch(
                size: UInt32(MemoryLayout<eaves_launch>.size), argc: Int32(launch.arguments.count),
                argv: pointers, input: 0, output: 1, error: 2)
            return feature.launch(feature.state, &launch)
        }
        return ExitCode(UInt8(exactly: code) ?? 255)
    }
}

/// Arguments in the form of C: a block of zero-terminated texts and a NULL-terminated list of
/// pointers.
private struct CArguments {
    private var text: [CChar] = []
    private var offsets: [Int] = []

    init(_ arguments: [String]) {
        for argument in arguments {
            offsets.append(text.count)
            text += argument.utf8CString
        }
    }

    /// Calls `body` with the list, which is valid during the call.
    func withPointers<Result>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        text.withUnsafeBufferPointer { text in
            let pointers = offsets.map { text.baseAddress?.advanced(by: $0) } + [nil]
            // SAFETY: the list has a first element, because it ends with nil.
            return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
        }
    }
}
