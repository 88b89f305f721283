// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesHost
package import EavesInterface
import EavesJSON
package import EavesManifest

/// The output of `eaves list --json`. This file alone says which members it has.
package struct ListDocument {
    private let answer: ListAnswer
    private let listing: CatalogListing
    private let manifest: Manifest

    package init(_ answer: ListAnswer, _ listing: CatalogListing, manifest: Manifest) {
        self.answer = answer
        self.listing = listing
        self.manifest = manifest
    }

    /// Writes the object, with a line break at its end.
    ///
    /// - Throws: If standard output cannot be written.
    package func write(to terminal: Terminal) throws(ConsoleError) {
        var failure: ConsoleError?
        var json = JSONStream { bytes in
            guard failure == nil else { return }
            do throws(ConsoleError) { try terminal.write(bytes) } catch { failure = error }
        }
        json.object { json in
            json.value("schema", 1)
            // The object leaves out the parts that the person did not ask for: an empty array would be an answer.
            if let features = answer.features {
                json.array("features") { json in
                    for feature in features { write(feature, to: &json) }
                }
            }
            if let modules = answer.modules {
                json.array("modules") { json in
                    for module in modules { write(module, to: &json) }
                }
            }
            if let services = answer.services {
                json.array("services") { json in
                    for service in services { write(service, to: &json) }
                }
            }
            if let bindings = answer.bindings {
                json.object("bindings") { json in
                    for binding in bindings { write(binding, to: &json) }
                }
            }
        }
        json.finish()
        if let failure { throw failure }
    }

    private func write(_ service: ListedService, to json: inout JSONStream) {
        json.object { json in
            json.string("service", service.name)
            json.array("providers") { json in
                for id in service.providers { json.string(nil, id) }
            }
        }
    }

    private func write(_ binding: Binding, to json: inout JSONStream) {
        switch binding.target {
        case .module(let module): json.member(binding.key.text, module)
        case .weights(let weights):
            let choice = manifest.chosen[binding.key]
            json.object(named: binding.key.text) { json in
                json.object("weights") { json in
                    for share in weights.shares { json.member(share.module, share.weight) }
                }
                json.string("by", weights.key)
                // Each process draws for itself.
                json.string("chosen", choice?.reason == .chance ? nil : choice?.module)
                json.string(
                    "reason", choice?.reason.rawValue)
            }
        }
    }

    private func write(_ feature: ListedFeature, to json: inout JSONStream) {
        json.object { json in
            write("name", feature.name, to: &json)
            write("summary", feature.summary, to: &json)
            write("module", feature.module, to: &json)
            json.string("state", feature.state.rawValue)
        }
    }

    private func write(_ module: ListedModule, to json: inout JSONStream) {
        json.object { json in
            write("id", module.id, to: &json)
            write("version", module.version, to: &json)
            write("path", module.path, to: &json)
            json.string("state", module.state.rawValue)
            json.string("problem", module.problem)
            write("provides", module.provides, to: &json)
            write("requires", module.requires, to: &json)
            json.value("pinned", .bool(module.isPinned))
        }
    }

    private func write(
        _ name: StaticString?, _ text: ListedText?, to json: inout JSONStream
    ) {
        switch text {
        case nil: json.string(name, nil)
        case .string(let string): json.string(name, string)
        case .cached(let text):
            listing.withBytes(of: text) { json.string(name, unescaped: $0) }
        case .file(let file, let directory):
            let folder = listing.directoryPrefixes[directory]
            guard folder.needsNoEscape else {
                return json.string(name, listing.string(.file(file, directory: directory)))
            }
            listing.withBytes(of: file) { json.string(name, unescaped: $0, after: folder.text) }
        }
    }

    private func write(_ name: StaticString, _ texts: ListedTexts, to json: inout JSONStream) {
        json.array(name) { json in
            listing.forEach(texts) { write(nil, $0, to: &json) }
        }
    }
}
