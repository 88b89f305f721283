// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The folders into which a host has written the resources of modules that are packages.
///
/// Authors use `Bundle.module`. The code that `eaves build` adds to such a package asks here where the host has put its files.
///
/// Safe from any thread.
@_spi(Generated)
public enum ModuleBundles {
    private static let folders = Mutex<[String: String]>([:])

    /// The folder with the bundles of a module.
    ///
    /// - Parameter digest: The SHA-256 of the module's resources, in hexadecimal digits.
    /// - Returns: An absolute path; `nil` if this process has loaded no module with these resources.
    public static func folder(of digest: String) -> String? {
        folders.withLock { $0[digest] }
    }

    /// Notes the folder, before the module is loaded.
    public static func note(_ folder: String, of digest: String) {
        folders.withLock { $0[digest] = folder }
    }
}
