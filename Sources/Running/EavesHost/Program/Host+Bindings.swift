// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesManifest
import EavesModules

extension Host {
    /// The bindings that decide which module provides a service: those of the manifest, in its order, as they
    /// were when the host was made, and those that were demanded for this host.
    public var bindings: [ChosenBinding] { modules.manifest.chosen.choices }

    /// The bindings as a container has them that chooses by these values, in addition to those of the host;
    /// see ``ServiceContainer/child(choosingBy:)``. Loads nothing.
    ///
    /// - Parameter values: The values of keys, such as `["user": "alice"]`.
    public func bindings(choosingBy values: [String: String]) -> [ChosenBinding] {
        modules.manifest.chosen(by: choices(values)).choices
    }
}
