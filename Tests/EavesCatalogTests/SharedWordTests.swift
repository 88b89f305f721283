// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Testing

@Suite("Two protocols of one name")
struct SharedWordTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(#"{ "manifest": 1 }"#, to: "manifest.json")
        try folder.add(.sample("east", provides: ["EastAPI.Greeter", "EastAPI.Clock"]))
        try folder.add(.sample("west", provides: ["WestAPI.Greeter"]))
        try folder.add(.sample("page", requires: ["WestAPI.Greeter", "EastAPI.Clock"]))
        try folder.add(.sample("clock", requires: ["EastAPI.Clock"]))
    }

    @Test("are listed by their whole names, with a cache as without one")
    func listed() throws {
        _ = try folder.catalogLater()
        for _ in 0..<2 {
            try expectSame(folder.catalogLater(), folder.catalogWithoutTable())
        }
        let catalog = try folder.catalogLater()
        let rows = catalog.entries.map {
            let names = catalog.services
            return ($0.id, $0.listedServices(names) + $0.listedRequirements(names))
        }
        #expect(
            Dictionary(uniqueKeysWithValues: rows) == [
                "clock": ["Clock"], "east": ["EastAPI.Greeter", "Clock"],
                "page": ["WestAPI.Greeter", "Clock"], "west": ["WestAPI.Greeter"],
            ])
    }

    /// The services of all modules as a list shows them.
    private func provided() throws -> [String] {
        let catalog = try folder.catalogLater()
        return catalog.entries.flatMap { $0.listedServices(catalog.services) }
    }

    @Test("are told apart as soon as the second one appears, and no longer when it is gone")
    func dropped() throws {
        try Files.remove(folder.file("Plugins/west.so"))
        try Files.remove(folder.file("Plugins/page.so"))
        _ = try folder.catalogLater()
        #expect(try provided() == ["Greeter", "Clock"])
        try folder.add(.sample("west", provides: ["WestAPI.Greeter"]))
        for _ in 0..<3 {
            #expect(try provided() == ["EastAPI.Greeter", "Clock", "WestAPI.Greeter"])
        }
        try Files.remove(folder.file("Plugins/west.so"))
        for _ in 0..<3 {
            #expect(try provided() == ["Greeter", "Clock"])
        }
    }

    @Test("are told apart where a module that is not built names one of them")
    func notBuilt() throws {
        try Files.remove(folder.file("Plugins/east.so"))
        _ = try folder.catalogLater()
        try folder.addSource(.sample("far", requires: ["FarAPI.Greeter"]), in: "Plugins/Far")
        for _ in 0..<3 {
            try expectSame(folder.catalogLater(), folder.catalogWithoutTable())
            #expect(try provided() == ["WestAPI.Greeter"])
        }
    }

    private func provider(_ service: String, _ bindings: String) throws -> String {
        let catalog = try folder.catalog(#"{ "manifest": 1, "bindings": { \#(bindings) } }"#)
        do throws(ProviderError) {
            return try catalog.provider(of: .service(service, name: nil))?.id ?? "the host"
        } catch {
            return error.diagnostics.map { "\($0.message); \($0.fix ?? "")" }.joined()
        }
    }

    @Test("a binding of the word is about the one that its module provides")
    func binding() throws {
        #expect(try provider("EastAPI.Greeter", #""Greeter": "east""#) == "east")
        #expect(try provider("WestAPI.Greeter", #""Greeter": "east""#) == "west")
        try folder.add(.sample("west2", provides: ["WestAPI.Greeter"]))
        #expect(
            try provider("WestAPI.Greeter", #""Greeter": "east""#)
                == "WestAPI.Greeter is provided by west and west2, and the manifest binds it to none; "
                + "choose one: 'eaves swap WestAPI.Greeter west' "
                + "or 'eaves swap WestAPI.Greeter west2'")
        #expect(
            try provider("WestAPI.Greeter", #""Greeter": "east", "WestAPI.Greeter": "west2""#)
                == "west2")
        #expect(
            try provider("WestAPI.Greeter", #""WestAPI.Greeter": "east""#)
                == "WestAPI.Greeter is bound to 'east', which does not provide it; "
                + "bind another: 'eaves swap WestAPI.Greeter MODULE'")
        #expect(
            try provider("SouthAPI.Greeter", "")
                == "no module provides SouthAPI.Greeter, did you mean 'EastAPI.Greeter' or 'WestAPI.Greeter'?; "
                + "add a module that provides it, and see 'eaves list'")
    }
}
