// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
package import EavesDiagnostics
import EavesJSON
import EavesSystem

/// All modules and features as a list shows them.
///
/// Most modules of a long list are self-contained: nothing but their own files decides what the list shows.
/// Their texts are taken from the cache as they stand, without making strings of them; see
/// `CatalogListing+SelfContained.swift`. The reader of a listing cannot tell the difference.
package struct CatalogListing: Sendable {
    /// Sorted by id, then by path.
    package let modules: [ListedModule]
    /// Sorted by name, then by the module's id.
    package let features: [ListedFeature]
    /// The problems besides those of the modules.
    package let diagnostics: [Diagnostic]
    /// The texts that stand before the names of files in paths that are ``ListedText/file(_:directory:)``, in the
    /// order of the manifest's directories.
    package let directoryPrefixes: [(text: String, needsNoEscape: Bool)]
    private let cache: CatalogCache?
    /// The modules that are not taken from the cache as they stand.
    private let entries: [CatalogEntry]

    /// The problems of modules in words, those that several modules share only once. A module that is taken from the
    /// cache as it stands has none.
    ///
    /// - Parameter ids: The modules; `nil` for all.
    package func diagnostics(of ids: Set<String>?) -> [Diagnostic] {
        let chosen = ids.map { ids in entries.filter { ids.contains($0.id) } } ?? entries
        return chosen.mergedDiagnostics + chosen.compactMap(\.standInWarning)
    }

    /// - Parameters:
    ///   - entries: Sorted by id, then by path.
    ///   - services: The services that modules declare, without those of self-contained modules, whose
    ///     words mean one service each.
    ///   - modules: Self-contained modules, sorted by id.
    ///   - features: Their features, sorted by name, then by the module's id.
    init(
        _ entries: [CatalogEntry], _ services: ServiceNames, modules: [ListedModule] = [],
        features: [ListedFeature] = [],
        directories: [String] = [], cache: CatalogCache? = nil, diagnostics: [Diagnostic]
    ) {
        directoryPrefixes = directories.map { directory in
            let text = Path.join(directory, "")
            return (text, text.utf8.allSatisfy(\.needsNoJSONEscape))
        }
        self.cache = cache
        self.entries = entries
        self.diagnostics = diagnostics
        let entryFeatures = entries.flatMap(ListedFeature.all).sorted {
            $0.name.isBefore($1.name, in: cache) ?? $0.module.isBefore($1.module, in: cache)
                ?? false
        }
        self.modules = Self.merged(modules, entries.map { ListedModule($0, services) }) {
            $0.id.isBefore($1.id, in: cache) ?? true
        }
        self.features = Self.merged(features, entryFeatures) {
            $0.name.isBefore($1.name, in: cache) ?? $0.module.isBefore($1.module, in: cache)
                ?? true
        }
    }

    private static func merged<Element>(
        _ left: [Element], _ right: [Element], _ isBefore: (Element, Element) -> Bool
    ) -> [Element] {
        if left.isEmpty || right.isEmpty { return left + right }
        var merged: [Element] = []
        merged.reserveCapacity(left.count + right.count)
        var rest = right[...]
        for element in left {
            while let next = rest.first, isBefore(next, element) {
                merged.append(next)
                rest.removeFirst()
            }
            merged.append(element)
        }
        return merged + rest
    }

    /// A text as a string.
    package func string(_ text: ListedText) -> String {
        switch text {
        case .string(let string): string
        case .cached(let text): cache?.string(text) ?? ""
        case .file(let name, let directory):
            directoryPrefixes[directory].text + (cache?.string(name) ?? "")
        }
    }

    /// Calls `body` with the bytes of a text of the cache, which need no escape in JSON.
    package func withBytes(of text: CachedText, _ body: (Span<UInt8>) -> Void) {
        cache?.withBytes(of: text, body)
    }

    /// Calls `body` with each text of a list.
    package func forEach(_ texts: ListedTexts, _ body: (ListedText) -> Void) {
        switch texts {
        case .strings(let strings):
            for string in strings { body(.string(string)) }
        case .provisions(let rows):
            for number in rows.range {
                guard let row = cache?.provisionRow(number) else { return }
                body(.cached(row.service.word))
            }
        case .requirements(let rows):
            for number in rows.range {
                guard let row = cache?.requirementRow(number) else { return }
                body(.cached(row.word))
            }
        }
    }
}

/// A module as a list shows it.
package struct ListedModule: Sendable {
    package let id: ListedText
    /// `nil` if the module does not say.
    package let version: ListedText?
    package let path: ListedText
    package let state: ModuleState
    /// The module's problem in words; `nil` if it has none.
    package let problem: String?
    /// The services that it provides, each once.
    package let provides: ListedTexts
    package let requires: ListedTexts
    /// Whether the manifest demands a digest.
    package let isPinned: Bool
}

/// A feature as a list shows it.
package struct ListedFeature: Sendable {
    package let name: ListedText
    package let summary: ListedText
    /// The id of its module.
    package let module: ListedText
    /// The state of its module.
    package let state: ModuleState
}

/// A text of a listing.
package enum ListedText: Sendable {
    case string(String)
    /// A text of the cache that needs no escape in JSON.
    case cached(CachedText)
    /// A path: a file's name, which needs no escape, in the directory of this number.
    case file(CachedText, directory: Int)
}

/// A list of texts of a listing.
package enum ListedTexts: Sendable {
    case strings([String])
    case provisions(ListedRows)
    case requirements(ListedRows)
}

/// The rows of the cache that hold a list of texts.
package struct ListedRows: Sendable {
    let range: Range<Int>
}

extension ListedModule {
    fileprivate init(_ entry: CatalogEntry, _ services: ServiceNames) {
        let declaration = entry.declaration
        let problem = entry.diagnostics.map(\.message).joined(separator: "; ")
        self.init(
            id: .string(entry.id), version: (declaration?.version).map { .string($0) },
            path: .string(entry.path), state: entry.state,
            problem: entry.problem == nil ? entry.standInWarning?.message : problem,
            provides: .strings(entry.listedServices(services)),
            requires: .strings(entry.listedRequirements(services)),
            isPinned: entry.sha256 != nil)
    }
}

extension ListedFeature {
    fileprivate static func all(of entry: CatalogEntry) -> [ListedFeature] {
        (entry.declaration?.features ?? []).map { feature in
            ListedFeature(
                name: .string(feature.name), summary: .string(feature.summary),
                module: .string(entry.id), state: entry.state)
        }
    }
}

extension ListedText {
    /// Whether this text goes before another one; `nil` if they are equal. Ids, names and services are
    /// ASCII, so that the order of their bytes is the order of the strings.
    func isBefore(_ other: ListedText, in cache: CatalogCache?) -> Bool? {
        switch (self, other) {
        case (.cached(let left), .cached(let right)): cache?.isBefore(left, right)
        case (.cached(let left), .string(let right)):
            Self.isBefore(cache?.string(left) ?? "", right)
        case (.string(let left), .cached(let right)):
            Self.isBefore(left, cache?.string(right) ?? "")
        case (.string(let left), .string(let right)): Self.isBefore(left, right)
        case (.file, _), (_, .file): nil
        }
    }

    private static func isBefore(_ left: String, _ right: String) -> Bool? {
        left == right ? nil : left < right
    }
}
