// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesReview

/// Compares real interface modules with their baselines.
@Suite(.patiently) struct InterfaceReviewTests {
    private static let base = """
        public protocol Service: Sendable {
            func report(for city: String) throws -> Report
            func plain()
        }

        extension Service {
            public func plain() {}
            public func helper() {}
        }

        public struct Report: Sendable {
            public var text: String
            public init(text: String) { self.text = text }
        }

        @frozen public struct Point { public var x: Int }

        public enum Kind { case a, b }

        public final class Names {
            public init() {}
            public func add(name: String) {}
        }

        @MainActor public protocol Screen { var title: String { get } }

        public typealias Degrees = Int

        """

    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var old: String
        var new: String
        var changes: [String]
        var breaks: Set<InterfaceChange.Party> = []
        var version = "1.3"
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "nothing", old: "", new: "", changes: [], version: "1.2"),
        Case(
            name: "what code does", old: "plain() {}", new: "plain() { print() }", changes: [],
            version: "1.2"),
        Case(
            name: "a type alias, which no binary sees", old: "Degrees = Int",
            new: "Degrees = Double", changes: [], version: "1.2"),
        Case(
            name: "a requirement without a default", old: "    func plain()\n",
            new: "    func plain()\n    func wind() -> Int\n",
            changes: ["added requirement Service.wind(), without a default"],
            breaks: [.providers], version: "2.0"),
        Case(
            name: "a requirement with a default",
            old: "    func plain()\n}\n\nextension Service {\n",
            new: "    func plain()\n    func wind() throws -> Int\n}\n\nextension Service {\n"
                + "    public func wind() -> Int { 0 }\n",
            changes: [
                "added function Service.wind()",
                "added requirement Service.wind(), which has a default",
            ]),
        Case(
            name: "a removed requirement", old: "    func plain()\n", new: "",
            changes: ["removed requirement Service.plain()"], breaks: [.providers, .users],
            version: "2.0"),
        Case(
            name: "a removed default", old: "    public func plain() {}\n", new: "",
            changes: [
                "removed function Service.plain()",
                "removed the default of requirement Service.plain()",
            ], breaks: [.providers, .users], version: "2.0"),
        Case(
            name: "a removed function", old: "    public func helper() {}\n", new: "",
            changes: ["removed function Service.helper()"], breaks: [.users], version: "2.0"),
        Case(
            name: "a function that waits now", old: "throws -> Report",
            new: "async throws -> Report",
            changes: [
                "changed requirement Service.report(for:): Reviewed.Service.report(for: "
                    + "Swift.String) throws -> Reviewed.Report → Reviewed.Service.report(for: "
                    + "Swift.String) async throws -> Reviewed.Report"
            ], breaks: [.providers, .users], version: "2.0"),
        Case(
            name: "a new protocol", old: "public enum Kind",
            new: "public protocol More { func more() }\npublic enum Kind",
            changes: ["added protocol More"]),
        Case(
            name: "another label", old: "add(name: String)", new: "add(named: String)",
            changes: [
                "changed function Names.add(name:): Reviewed.Names.add(name: Swift.String) -> () "
                    + "→ Reviewed.Names.add(named: Swift.String) -> ()"
            ], breaks: [.users], version: "2.0"),
        Case(
            name: "another layout of a struct that is not frozen", old: "public var text: String",
            new: "var more = 1\n    public var text: String", changes: [], version: "1.2"),
        Case(
            name: "another public property", old: "public var text: String",
            new: "public var more = 1\n    public var text: String",
            changes: ["added property Report.more"]),
        Case(
            name: "another layout of a frozen struct", old: "public var x: Int",
            new: "public var x: Int; public var y: Int",
            changes: ["added property Point.y, which changes the layout of a @frozen type"],
            breaks: [.providers, .users], version: "2.0"),
        Case(
            name: "another case", old: "case a, b", new: "case a, b, c",
            changes: ["added case Kind.c"]),
        Case(
            name: "a settable requirement", old: "{ get }", new: "{ get set }",
            changes: ["added requirement Screen.title (set), without a default"],
            breaks: [.providers], version: "2.0"),
        Case(
            name: "another actor", old: "@MainActor public protocol", new: "public protocol",
            changes: [
                "changed protocol Screen: lost 'custom attribute'",
                "changed requirement Screen.title: lost 'custom attribute'",
            ], breaks: [.providers, .users], version: "2.0"),
        Case(
            name: "a lost conformance", old: "Report: Sendable", new: "Report",
            changes: ["removed from struct Report: conforms to Sendable"], breaks: [.users],
            version: "2.0"),
    ]

    /// The interface with its baseline, made once.
    private static let reviewed = Result {
        let fixture = try InterfaceFixture()
        let request = try fixture.addInterface(
            "Reviewed", id: "reviewed", version: "1.2.0", source: base)
        #expect(fixture.build(request) == ["reviewed: built"])
        #expect(try fixture.builder.review(request).bump() == "1.2.0")
        return fixture
    }

    @Test("says what changed, whom it breaks, and the version that follows", arguments: cases)
    func review(_ change: Case) throws {
        let fixture = try InterfaceFixture()
        try fixture.plugins.run("cp -r \(Self.reviewed.get().scratch.path)/Plugins .")
        let source =
            change.old.isEmpty ? Self.base : Self.base.replacing(change.old, with: change.new)
        #expect(change.old.isEmpty || source != Self.base)
        let request = try fixture.addInterface(
            "Reviewed", id: "reviewed", version: "1.2.0", source: source)
        fixture.build(request)
        let review = try fixture.builder.review(request)
        #expect(review.changes.map(\.message) == change.changes)
        #expect(review.broken == change.breaks)
        #expect(review.following?.description == change.version)
        #expect(review.hasRightVersion == (change.version == "1.2"))
        #expect(review.hasOtherText == (change.old == "Degrees = Int"))
    }

    @Test("bump sets the version, and leaves the rest of module.json as it is")
    func bump() throws {
        let fixture = try InterfaceFixture()
        let request = try fixture.addInterface("Reviewed", id: "reviewed", source: Self.base)
        func review() throws -> InterfaceReview {
            fixture.build(request)
            return try fixture.builder.review(request)
        }
        let first = try review()
        #expect(first.baseline == nil && first.following == nil)
        #expect(try first.bump() == "1.0.0")
        let declaration = try fixture.scratch.read("Plugins/Reviewed/module.json")
        let baseline = try fixture.scratch.read("Plugins/Reviewed/baseline.json")
        #expect(!baseline.contains(fixture.scratch.path))

        let odd = declaration.replacing(#""version": "1.0.0""#, with: "\"version\"  :\n \"1.0.0\"")
        try fixture.scratch.write(odd, to: "Plugins/Reviewed/module.json")
        #expect(try review().bump() == "1.0.0")
        #expect(try fixture.scratch.read("Plugins/Reviewed/baseline.json") == baseline)

        try fixture.scratch.write("public protocol More {}\n", to: "Plugins/Reviewed/More.swift")
        let added = try review()
        for wrong in ["1.0.1", "1.2.0", "2.0.0", "x", "1.1.0\u{1b}"] {
            #expect(throws: BuildError.self) { try added.bump(to: wrong) }
        }
        do throws(BuildError) {
            _ = try added.bump(to: "2.0.0")
        } catch {
            #expect(
                error.description == """
                    reviewed: expected a version 1.1, which follows from the changes, found '2.0.0'
                    fix: write '--to 1.1.0', or leave it out
                    """)
        }
        #expect(try fixture.scratch.read("Plugins/Reviewed/module.json") == odd)
        #expect(try added.bump(to: "1.1.7") == "1.1.7")
        #expect(
            try fixture.scratch.read("Plugins/Reviewed/module.json")
                == odd.replacing("\"1.0.0\"", with: "\"1.1.7\""))
        let after = try review()
        #expect(after.changes.isEmpty && after.hasRightVersion)
        #expect(after.baseline?.version == InterfaceVersion(major: 1, minor: 1))
    }

    @Test("a baseline that is none, and a module that is no interface, are errors")
    func problems() throws {
        let fixture = try InterfaceFixture()
        let request = try fixture.addInterface("Reviewed", id: "reviewed", source: Self.base)
        fixture.build(request)
        for text in ["{", "{}", #"{"baseline": 2}"#] {
            try fixture.scratch.write(text, to: "Plugins/Reviewed/baseline.json")
            let error = #expect(throws: BuildError.self) {
                try fixture.builder.review(request)
            }
            #expect(
                error?.description.hasPrefix("Plugins/Reviewed/baseline.json: not a baseline: ")
                    == true)
        }
        let other = try fixture.addModule("Other", id: "other")
        #expect(throws: BuildError("other", .notAnInterface(.feature))) {
            try fixture.builder.review(other)
        }
    }

    @Test("an interface that builds on others is compared as well")
    func chain() throws {
        let fixture = try InterfaceFixture()
        try fixture.addInterface(
            "Common", id: "common", source: "public struct City: Sendable {}\n")
        let request = try fixture.addInterface(
            "WeatherAPI", id: "weather-api", interfaces: ["common"],
            source: "import Common\npublic protocol WeatherService { func at(_ city: City) }\n")
        fixture.build(request)
        let api = try fixture.builder.review(request)
        #expect(try api.bump() == "1.0.0")
        let text = try fixture.scratch.read("Plugins/WeatherAPI/baseline.json")
        #expect(text.contains("WeatherAPI.WeatherService.at(Common.City) -> ()"))
    }

    @Test("an interface that is a package is compared with all that it brings")
    func package() throws {
        let fixture = try InterfaceFixture()
        let request = try fixture.addInterface("Reviewed", id: "reviewed", source: "")
        let files = [
            "Package.swift": """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(
                name: "Reviewed",
                products: [.library(name: "Reviewed", type: .dynamic, targets: ["Reviewed"])],
                targets: [
                    .target(name: "Formats"), .target(name: "Reviewed", dependencies: ["Formats"]),
                ])

            """,
            "Sources/Formats/Formats.swift": """
            public protocol Scale { func text() -> String }
            extension Scale { public func text() -> String { "" } }
            public func rounded(_ number: Double) -> Int { 0 }

            """,
            "Sources/Reviewed/Reviewed.swift": "@_exported public import Formats\n",
        ]
        for (name, text) in files {
            try fixture.scratch.write(text, to: "Plugins/Reviewed/\(name)")
        }
        fixture.build(request)
        #expect(try fixture.builder.review(request).bump() == "1.0.0")
        let unchanged = try fixture.builder.review(request)
        #expect(unchanged.changes.isEmpty && !unchanged.hasOtherText)
        try fixture.scratch.write(
            """
            public protocol Scale { func text() -> String; func width() -> Int }
            extension Scale { public func text() -> String { "" } }

            """, to: "Plugins/Reviewed/Sources/Formats/Formats.swift")
        fixture.build(request)
        let review = try fixture.builder.review(request)
        #expect(
            review.changes.map(\.message) == [
                "added requirement Scale.width(), without a default",
                "removed function rounded(_:)",
            ])
        #expect(review.following == InterfaceVersion(major: 2, minor: 0))
    }
}
