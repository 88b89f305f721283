// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesLife
package import EavesManifest
package import EavesModules

extension Host {
    /// The place that modules' files come from: it brings them up to date before the host loads them.
    ///
    /// The product `EavesSources` has `.folders`, which compiles modules whose sources are here.
    public struct Sources: Sendable {
        /// A function that makes the source of a host, which tells the host's observers of its work.
        let source:
            @Sendable (Manifest, @escaping @Sendable (HostEvent) -> Void) -> any ModuleSource

        /// Creates sources from a function.
        ///
        /// - Parameter source: A function that makes the source of a host from its manifest and a function that tells events.
        package init(
            _ source:
                @escaping @Sendable (
                    Manifest, @escaping @Sendable (HostEvent) -> Void
                ) -> any ModuleSource
        ) {
            self.source = source
        }

        /// The files as they are.
        public static let files = Sources { _, _ in NoSource() }
    }
}
