// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesBuild
package import EavesCatalog
package import EavesCompiler
import EavesDeclaration
import EavesSystem
package import EavesTrust

extension BuildRequest {
    /// A request to build a module that the catalog knows: from the folder next to its file, else from
    /// the folder that it was built from here. `nil` if there is neither.
    ///
    /// - Parameters:
    ///   - configuration: `nil` to build it as it was built last.
    ///   - trust: The check of the manifest.
    package init?(
        _ entry: CatalogEntry, _ configuration: BuildConfiguration?, _ trust: TrustCheck = .own
    ) {
        guard let source = entry.source else {
            self.init(recordedFor: entry.id, output: entry.file, configuration: configuration)
            self.trust = trust
            return
        }
        // The file of an entry whose module.json is wrong is that module.json.
        let hasOutput = Path.name(of: entry.file) != ModuleDeclaration.fileName
        let output =
            hasOutput ? entry.file : Path.join(Path.parent(of: source), "\(entry.id).so")
        self.init(id: entry.id, folder: source, output: output, configuration: configuration)
        self.trust = trust
    }
}

extension Builder {
    /// The file of the running program, next to which the SDK lies.
    package static var thisProgram: String {
        Files.resolved("/proc/self/exe") ?? CommandLine.arguments[0]
    }
}
