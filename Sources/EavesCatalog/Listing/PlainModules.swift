// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// The modules about which nothing is to be said but what stands in the cache. No strings are made
/// of them.
package struct PlainModules: Sendable {
    /// Sorted by id; no two have the same.
    package private(set) var modules: [PlainModule] = []
    /// Sorted by name, then by the module's id.
    package private(set) var features: [PlainFeature] = []
    private let cache: CatalogCache?
    /// All of the cache.
    private let bytes: [UInt8]
    private let profile: HostProfile
    /// Whether the host takes what is built like this, by the place of the build.
    private var fits: [UInt32: Bool] = [:]
    private var lastFit: UInt32?

    /// Of none.
    ///
    /// - Parameter capacity: About how many are going to be added.
    init(in cache: CatalogCache?, profile: HostProfile, capacity: Int = 0) {
        self.cache = cache
        bytes = cache?.bytes.whole ?? []
        modules.reserveCapacity(capacity)
        features.reserveCapacity(capacity)
        self.profile = profile
    }

    /// Takes up a file that is as it was.
    ///
    /// - Parameters:
    ///   - file: Its place in the cache.
    ///   - directory: The place of its directory in the manifest.
    /// - Returns: Whether it is a plain module, which the user or root owns and nobody else can
    ///   write.
    mutating func add(_ file: Int, in directory: Int) -> Bool {
        guard let record = cache?.plainFile(file) else { return false }
        let whole = self.bytes
        let bytes = whole.span.bytes
        var reader = TextReader(at: Int(record.content))
        guard let build = reader.number(bytes), isFit(build),
            let id = reader.text(bytes), let version = reader.text(bytes),
            let provides = reader.texts(bytes, isNamed: true),
            let requires = reader.texts(bytes, isNamed: false),
            let featureCount = reader.number(bytes)
        else { return false }
        let known = features.count
        for _ in 0..<featureCount {
            guard let name = reader.text(bytes), let summary = reader.text(bytes) else {
                features.removeSubrange(known...)
                return false
            }
            features.append(PlainFeature(name: name, summary: summary, module: id, file: file))
        }
        modules.append(
            PlainModule(
                id: id, version: version, fileName: record.name, directory: directory,
                provides: provides, requires: requires, file: file))
        return true
    }

    /// Sorts what was added.
    ///
    /// - Parameter others: Files that were added, and are not to be among them after all.
    mutating func close(without others: KeptFiles) {
        modules.removeAll { others.contains($0.file) }
        features.removeAll { others.contains($0.file) }
        let bytes = bytes
        Self.sort(&modules) { Self.order($0.id, $1.id, in: bytes) < 0 }
        Self.sort(&features) { left, right in
            let names = Self.order(left.name, right.name, in: bytes)
            return names == 0 ? Self.order(left.module, right.module, in: bytes) < 0 : names < 0
        }
    }

    /// Most often files are named for their modules, and these for their features: then there is
    /// nothing to do.
    private static func sort<Element>(
        _ elements: inout [Element], _ isBefore: (Element, Element) -> Bool
    ) {
        let isSorted = elements.indices.dropFirst().allSatisfy {
            !isBefore(elements[$0], elements[$0 - 1])
        }
        if !isSorted { elements.sort(by: isBefore) }
    }

    /// Calls with the bytes of a text.
    package func withBytes(of text: CachedText, _ body: (Span<UInt8>) -> Void) {
        body(bytes.span.extracting(Int(text.start)..<Int(text.start + text.count)))
    }

    /// Calls with the bytes of each text of a list.
    package func forEach(_ texts: CachedTexts, _ body: (Span<UInt8>) -> Void) {
        var reader = TextReader(at: Int(texts.start))
        for _ in 0..<texts.count {
            guard let text = reader.text(of: bytes.span.bytes, isNamed: texts.isNamed) else {
                return
            }
            withBytes(of: text, body)
        }
    }

    /// A text as a string.
    package func string(_ text: CachedText) -> String {
        bytes.text(at: Int(text.start), Int(text.count)) ?? ""
    }

    /// Below 0 if the left text goes first, by their bytes; to Swift it is the same, for all are
    /// ASCII.
    private static func order(
        _ left: CachedText, _ right: CachedText, in bytes: [UInt8]
    ) -> Int {
        let bytes = bytes.span
        var (at, other) = (Int(left.start), Int(right.start))
        for _ in 0..<min(left.count, right.count) {
            if bytes[at] != bytes[other] { return Int(bytes[at]) - Int(bytes[other]) }
            (at, other) = (at + 1, other + 1)
        }
        return Int(left.count) - Int(right.count)
    }

    private mutating func isFit(_ build: UInt32) -> Bool {
        // Most modules are built alike.
        if build == lastFit { return true }
        if let known = fits[build] { return known }
        let isFit = cache?.build(at: Int(build))?.fits(profile) ?? false
        fits[build] = isFit
        if isFit { lastFit = build }
        return isFit
    }
}
