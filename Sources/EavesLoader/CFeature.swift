// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves
import EavesInterface

// SAFETY: holds an immutable copy; `eaves.h` tells modules that launch is called on any thread.
/// A feature that a module registered through the C functions.
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
