// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation

@testable import EndToEndSupport

/// A folder with very many modules: one in C, with another number in each copy.
struct ManyModules {
    let folder: TemporaryFolder
    var eaves: Eaves { Eaves(folder: folder.url, owner: folder) }

    /// - Parameter isSame: Whether all of them are the same module, under different names.
    init(count: Int, isSame: Bool = false) throws {
        folder = try TemporaryFolder()
        try folder.write(#"{ "manifest": 1 }"#, to: "manifest.json")
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("Plugins"), withIntermediateDirectories: true)
        let module = try Data(contentsOf: try CFixtures.module("Numbered"))
        let mark = Data("0000".utf8)
        var places: [Range<Data.Index>] = []
        while let place = module.range(of: mark, in: (places.last?.upperBound ?? 0)..<module.count)
        {
            places.append(place)
        }
        for number in 0..<count {
            let digits = Data(Self.digits(isSame ? 0 : number).utf8)
            var copy = module
            for place in places { copy.replaceSubrange(place, with: digits) }
            try copy.write(
                to: folder.url.appendingPathComponent("Plugins/numbered-\(Self.digits(number)).so"))
        }
    }

    static func digits(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: 4 - text.count) + text
    }

    /// The names of the modules that were loaded here: the store has a private copy of each.
    func loaded() throws -> [String] {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: folder.url.appendingPathComponent(".eaves/modules").path)
        // A copy may have links that tell of it.
        return Set(files.compactMap { $0.split(separator: "@").first?.split(separator: ".").last })
            .map(String.init).sorted()
    }
}
