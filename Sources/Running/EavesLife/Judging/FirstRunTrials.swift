// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
import EavesManifest
import EavesRegistry
package import EavesSystem

// The trials of code that runs for the first time.
extension Running {
    /// The memory of the host with the trials that a generation begins before a byte of it runs: its constructors, or its
    /// entry point, may end the process. The store has to know them by then, so that the next process takes it back.
    ///
    /// - Parameters:
    ///   - entry: The module, with the file that is about to be loaded.
    ///   - digest: The digest of that file.
    ///   - number: The number of the generation.
    ///   - loaded: The generation whose place it is to take; `nil` for the first one of its module.
    ///   - served: The services and features that were asked for, each with the module that answers.
    ///   - outlook: The manifest and the modules that say which services go to the module.
    package func expectingFirstRun(
        of entry: CatalogEntry, _ digest: SHA256Digest, number: Int,
        over loaded: ModuleLife.Loaded?,
        serving served: [Look.Facts.Served], by outlook: Outlook
    ) -> Running {
        let terms = outlook.manifest.probation
        let id = entry.id
        // The last good file was judged before, and so was the code to which a module goes back.
        guard terms.isOn, entry.standIn == nil, self[module: id].retreat == nil else { return self }
        func trial(_ cause: TrialCase.Cause) -> TrialCase {
            TrialCase(
                cause: cause, entry: entry, number: number, digest: digest.hex,
                account: CallAccount(), usual: nil,
                probation: Probation(terms, at: .now, window: .zero))
        }
        var expected = self
        if let loaded {
            let good = proven(id, from: loaded)
            // Other settings of the good code are no reason to keep it out.
            guard good.code?.digest != digest else { return self }
            expected[module: id].serving?.trial = trial(
                .file(.init(entry: good.entry, code: good.code)))
            return expected
        }
        for (request, from) in served where from != id && self[module: from].isLoaded {
            let capability = Capability(request)
            guard let key = capability.bindingKey, self[service: capability.key].retreat != id,
                outlook.gives(capability, to: id)
            else { continue }
            expected[service: capability.key].state = .judged(trial(.binding(key, from: from)))
        }
        return expected
    }
}

extension Outlook {
    /// Whether a module is to have calls of a capability, all of them or a share.
    fileprivate func gives(_ capability: Capability, to id: String) -> Bool {
        if (try? catalog.provider(of: capability))?.id == id { return true }
        guard let key = capability.bindingKey, let choice = manifest.chosen[key],
            choice.reason == .call
        else { return false }
        return manifest.binding(choice.key)?.weights?.eligible.contains(id) == true
    }
}
