// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation

extension Repository {
    /// A file of the sample: a small application like those of users of Eaves, which the tests know by heart.
    static func sample(_ path: String) -> URL { file("Tests/Sample/\(path)") }

    /// The folder of the sample's built modules.
    static var modules: URL {
        get throws { URL(fileURLWithPath: try BuiltProject.sample.get().path + "/Plugins") }
    }

    /// The same, optimised.
    static var optimisedModules: URL {
        get throws { URL(fileURLWithPath: try optimised.get().path + "/Plugins") }
    }

    private static let optimised = Result {
        try BuiltProject.sample("sample-optimised", options: ["--release"])
    }
}
