// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesBuild
import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
package import EavesManifest
import EavesModules
import EavesRules
import Synchronization

extension InterfaceLookup {
    /// Finds the interface modules that this program has linked in, and those that a manifest's catalog
    /// knows. It looks at no module before it is asked.
    ///
    /// - Parameter manifest: `nil` to find only those of the program.
    package init(in manifest: Manifest?) {
        self.init(linked: HostProfile.current.interfaces, in: manifest.map(AskedCatalog.init))
    }
}

/// A catalog that is created when it is first asked.
private final class AskedCatalog: ProjectInterfaces {
    private let manifest: Manifest
    private let catalog = Mutex<Catalog?>(nil)

    init(_ manifest: Manifest) {
        self.manifest = manifest
    }

    private var created: Catalog {
        catalog.withLock { catalog in
            if let catalog { return catalog }
            let created = Catalog(manifest: manifest, profile: .current)
            catalog = created
            return created
        }
    }

    func place(of id: String) -> InterfacePlace? {
        guard let entry = created.entry(id) else { return nil }
        let request = BuildRequest(entry, nil, manifest.trust)
        return InterfacePlace(file: request?.output ?? entry.file, request: request)
    }

    func refusal(of id: String) -> Diagnostic? {
        guard let entry = created.entry(id) else { return nil }
        return InspectedModule(entry, among: nil, in: manifest, host: .current).demandDiagnostics
            .first
    }

    func users(of id: String) -> [InterfaceUserFile] {
        created.entries.filter { entry in
            entry.isUsed && entry.note?.declaration.interfaces.contains { $0.id == id } == true
        }.map { InterfaceUserFile(id: $0.id, file: $0.file, folder: $0.source) }
    }

    var unbuiltInterfaces: [String] {
        created.entries.filter { entry in
            entry.isBuildable && entry.declaration?.layer == .interface
                && entry.declaration?.interface == nil
        }.map(\.id)
    }

    var interfaces: [String: InterfaceContent] {
        var found: [String: InterfaceContent] = [:]
        for entry in created.entries where entry.isUsed {
            found[entry.id] = entry.declaration?.interface
        }
        return found
    }
}
