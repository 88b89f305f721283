// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesManifest
import EavesSystem

// Bindings to nothing, weights and entries without effect.
extension Wiring {
    var deadBindings: [AuditFinding] {
        bindings.flatMap { binding in
            binding.modules.compactMap { id in
                let weight = binding.weights?.weight(of: id)
                guard let reason = reason(against: id, weight, of: binding) else { return nil }
                let service = binding.key.text
                return AuditFinding(
                    kind: weight == nil ? .binding : .weight,
                    place: "\(manifest.place(of: binding))",
                    message: "\(service) is bound to '\(id)', \(reason)",
                    fix: weight != nil
                        ? "take '\(id)' out of the weights of \(service)"
                        : "choose another module with 'eaves swap \(service) MODULE', or remove the binding"
                )
            }
        }
    }

    private func reason(against id: String, _ weight: Int?, of binding: Binding) -> String? {
        guard let module = module(id), !isNowhere(module) else {
            return "and there is no such module"
        }
        guard module.entry.isEnabled else { return "which is switched off" }
        // A file that cannot be read may well provide it; 'eaves list' says what is wrong with it.
        guard module.entry.declaration != nil else { return nil }
        guard
            services(of: binding).contains(where: { module.answers($0, boundAs: binding.key.name) })
        else {
            return "which does not provide it"
        }
        return weight == 0 ? "with the weight 0, so that it is never chosen" : nil
    }

    /// Whether there is neither a file nor a source of the module, only an entry of the manifest.
    private func isNowhere(_ module: WiredModule) -> Bool {
        module.entry.status == nil && module.entry.source == nil
    }

    // MARK: Entries

    var deadEntries: [AuditFinding] {
        manifest.modules.compactMap(finding) + deadDirectories + deadFeatures
    }

    private func finding(_ entry: ModuleEntry) -> AuditFinding? {
        let id = entry.id
        let (message, fix): (String, String)
        if let module = module(id), !isNowhere(module) {
            guard !entry.settings.isEmpty, module.mentions?.readsSettings == false else {
                return nil
            }
            message = "'\(id)' has settings, and its code never reads any"
            fix = "remove 'settings' from the entry, or read them in the module"
        } else {
            message = "the entry is about '\(id)', and there is no such module"
            fix = "remove the entry, or put the module into a directory of the manifest"
        }
        return AuditFinding(
            kind: .entry, place: "\(manifest.place(of: entry))", message: message, fix: fix)
    }

    private var deadDirectories: [AuditFinding] {
        guard manifest.namesDirectories else { return [] }
        return manifest.directories.enumerated().compactMap { index, name in
            let path = Path.absolute(name, from: manifest.directory)
            let reason: String
            do throws(SystemError) {
                let entries = try Folder(path).entries
                let holdsModules = entries.contains { entry in
                    entry.name.hasSuffix(".so")
                        || (try? FileStatus(
                            path: Path.join(
                                Path.join(path, entry.name), ModuleDeclaration.fileName))) != nil
                }
                if holdsModules { return nil }
                reason = "holds no module and no sources of one"
            } catch {
                guard error.errno.meansMissing else { return nil }
                reason = "does not exist"
            }
            return AuditFinding(
                kind: .entry, place: "\(manifest.place(ofDirectory: index))",
                message: "the directory '\(name)' \(reason)",
                fix: "take it out of 'directories', or put modules into it")
        }
    }

    private var deadFeatures: [AuditFinding] {
        guard unreadModules.isEmpty else { return [] }
        return [("launch", manifest.launch), ("open", manifest.open)].compactMap { key, feature in
            guard let feature,
                !activeModules.contains(where: { $0.features.contains { $0.name == feature } }),
                !program.provides(.feature(feature))
            else { return nil }
            return AuditFinding(
                kind: .entry,
                place: "\(ManifestPlace(path: manifest.path, keys: key))",
                message: "no module that is switched on offers the feature '\(feature)'",
                fix: "name a feature that 'eaves list' shows, or remove the key")
        }
    }
}
