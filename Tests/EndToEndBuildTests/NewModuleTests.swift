// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("a new module", .onOwnThreads, .patiently)
struct NewModuleTests {
    @Test("builds without a warning and keeps its promises, whatever it is")
    func everyKind() throws {
        let eaves = try Eaves.project()
        let modules = [
            "feature hello", "interface weather-api",
            "service sunny --provides WeatherService",
            "composition weather --provides WeatherService --interface weather-api",
            "composition tools", "feature in-c --c", "feature in-cpp --cpp",
            "feature packed --package --interface weather-api", "interface shared --package",
            "service attic --provides SharedService --interface shared",
        ]
        for module in modules {
            try eaves(["new"] + module.split(separator: " ").map(String.init)).expectSuccess()
        }
        try eaves("swap", "WeatherService", "sunny").expectSuccess()
        try eaves.buildWithoutWarning()
        try eaves("validate").expectSuccess()
        let verified = try eaves("verify")
        verified.expectSuccess()
        #expect(verified.output.hasSuffix("10 modules passed\n"), "\(verified)")
        for feature in ["hello", "tools", "in-c", "in-cpp", "packed"] {
            #expect(try eaves("launch", feature).output == "Hello, world!\n")
            #expect(try eaves("launch", feature, "Anna").output == "Hello, Anna!\n")
        }
    }

    @Test(
        "calls its own functions in C, also if the program or a library has others of their names")
    func ownFunctions() throws {
        let eaves = try Eaves.project()
        let exported = try Eaves.shell(
            "nm -D --defined-only '\(Eaves.executable.path)' | cut -c20- | cut -c-18 | LC_ALL=C sort -u"
                + " | grep -v '^_\\|^data_start$\\|main$\\|^[$]s[0-9]*[^0-9E]'", in: eaves.folder)
        // Modules bind to the interface. The other names take the places of the C library's, so that each thread has a stack
        // for the handlers of signals, and a file of 'tmpfile' is where a wall lets it be. The command has no further name
        // that a library or a module could use, too.
        #expect(exported.output == "$s14EavesInterface\npthread_create\ntmpfile\ntmpfile64\n")
        let source = """
            int eaves_crash_enter(int number) { return number + 1; }
            int lockf(int number) { return number + 2; }

            """
        let header = "int eaves_crash_enter(int number);\nint lockf(int number);\n"
        try eaves("new", "feature", "in-c", "--c").expectSuccess()
        try eaves.write(source, to: "Plugins/InC/own.c")
        let main = try eaves.text("Plugins/InC/in-c.c")
        let call = "dprintf(launch->output, \"%d %d\\n\", eaves_crash_enter(1), lockf(1));"
        try eaves.write(
            header
                + main.replacing(
                    "dprintf(launch->output, \"Hello",
                    with: call + "\n        dprintf(launch->output, \"Hello"),
            to: "Plugins/InC/in-c.c")
        try eaves("new", "feature", "packed", "--package").expectSuccess()
        try eaves.write(source, to: "Plugins/Packed/Sources/COwn/own.c")
        try eaves.write(header, to: "Plugins/Packed/Sources/COwn/include/COwn.h")
        let manifest = try eaves.text("Plugins/Packed/Package.swift")
        try eaves.write(
            manifest.replacing(
                #".target(name: "Packed")"#,
                with: #".target(name: "COwn"), .target(name: "Packed", dependencies: ["COwn"])"#),
            to: "Plugins/Packed/Package.swift")
        try eaves.write(
            """
            import COwn
            import EavesInterface

            struct PackedFeature: Feature {
                func launch(_ launch: Launch) async throws -> ExitCode {
                    try launch.console.print("\\(eaves_crash_enter(1)) \\(lockf(1))")
                    return .success
                }
            }

            """, to: "Plugins/Packed/Sources/Packed/PackedFeature.swift")
        #expect(try eaves("launch", "packed").output == "2 3\n")
        let launched = try eaves("launch", "in-c")
        #expect(launched.output == "2 3\nHello, world!\n", "\(launched)")
    }

    @Test("can have any name that a module can have")
    func names() throws {
        let eaves = try Eaves.project()
        let names = ["feature", "module", "launch", "test", "self", "any", "1st", "a.b_c"]
        for name in names { try eaves("new", "feature", name).expectSuccess() }
        try eaves.buildWithoutWarning()
        for name in names { #expect(try eaves("launch", name).output == "Hello, world!\n") }
    }

    @Test("can be in Rust", .enabled(if: hasCargo, "needs cargo"))
    func rust() throws {
        let eaves = try Eaves.project()
        try eaves("new", "feature", "in-rust", "--rust").expectSuccess()
        try eaves("new", "feature", "2nd.one", "--rust").expectSuccess()
        try eaves.buildWithoutWarning()
        #expect(try eaves("launch", "in-rust", "Anna").output == "Hello, Anna!\n")
        #expect(try eaves("launch", "2nd.one").output == "Hello, world!\n")
        let verified = try eaves("verify", "in-rust")
        #expect(verified.code == 0 && !verified.output.contains("warn"), "\(verified)")
    }

    @Test("has the structures of eaves.h in Rust", .enabled(if: hasCargo, "needs cargo"))
    func layout() throws {
        let eaves = try Eaves.project()
        try eaves("new", "feature", "in-rust", "--rust").expectSuccess()
        var inC = ""
        var inRust = ""
        var structure = ""
        for line in try eaves.text("Plugins/InRust/src/eaves.rs").split(separator: "\n") {
            let words = line.split { " {:".contains($0) }.map(String.init)
            guard words.first == "pub", words.count > 1 else { continue }
            if words[1] == "struct" {
                structure = words[2]
                let name = "eaves_\(structure.lowercased())"
                inC += #"printf("\#(structure) %zu\n", sizeof(\#(name)));"# + "\n"
                inRust +=
                    #"println!("\#(structure) {}", std::mem::size_of::<eaves::\#(structure)>());"#
            } else {
                let name = "eaves_\(structure.lowercased())"
                inC += #"printf("\#(words[1]) %zu\n", offsetof(\#(name), \#(words[1])));"# + "\n"
                inRust +=
                    #"println!("\#(words[1]) {}", std::mem::offset_of!(eaves::\#(structure), \#(words[1])));"#
            }
        }
        try eaves.write(
            """
            #include "eaves.h"
            #include <stddef.h>
            #include <stdio.h>
            int main(void) {
            \(inC)}
            """, to: "layout.c")
        try eaves.write(
            "#[path = \"Plugins/InRust/src/eaves.rs\"] mod eaves;\nfn main() { \(inRust) }\n",
            to: "layout.rs")
        let headers = Repository.path("Sources/Contract/CEaves/include")
        let expected = try Eaves.shell(
            "clang -I '\(headers)' layout.c -o layout-c && ./layout-c", in: eaves.folder)
        let found = try Eaves.shell(
            "rustc --edition 2021 layout.rs -o layout-rs && ./layout-rs", in: eaves.folder)
        #expect(expected.code == 0 && found.code == 0, "\(expected)\n\(found)")
        #expect(found.output == expected.output)
        // Five structures, and their fields.
        #expect(found.lines.count == 5 + 31, "\(found)")
    }

    private static var hasCargo: Bool {
        (try? Eaves.shell("cargo --version", in: URL(fileURLWithPath: "/")).code) == 0
    }

    @Test("conforms to whatever protocol an interface declares")
    func sketch() throws {
        let eaves = try Eaves.project()
        try eaves.write(
            #"{ "id": "base", "version": "1.0.0", "layer": "interface", "module": "TheBase" }"#,
            to: "Plugins/Base/module.json")
        try eaves.write(
            """
            public protocol Named: Sendable { var id: String { get } }
            """, to: "Plugins/Base/Named.swift")
        try eaves.write(
            """
            { "id": "all", "version": "1.0.0", "layer": "interface", "module": "EveryForm",
              "interfaces": ["base"] }
            """, to: "Plugins/All/module.json")
        try eaves.write(Self.everyForm, to: "Plugins/All/All.swift")
        try eaves("new", "service", "sketch", "--provides", "Everything").expectSuccess()
        #expect(
            try eaves.text("Plugins/Sketch/module.json") == """
                {
                  "id": "sketch",
                  "version": "1.0.0",
                  "summary": "Provide Everything",
                  "layer": "core",
                  "interfaces": ["all", "base"],
                  "provides": [{ "service": "Everything" }]
                }

                """)
        try eaves.buildWithoutWarning()
        let verified = try eaves("verify", "sketch")
        verified.expectSuccess()
        let source = try eaves.text("Plugins/Sketch/SketchEverything.swift")
        #expect(!source.contains("hasDefault"), "\(source)")
        #expect(source.contains(#"throw NotWritten(member: "place(of:)")"#), "\(source)")

        let both = ["--provides", "Shared", "--provides", "Named"]
        try eaves(["new", "service", "shared"] + both).expectSuccess()
        let declaration = try eaves.text("Plugins/Shared/module.json")
        #expect(
            declaration.contains(
                #""provides": [{ "service": "Shared" }, { "service": "Named" }]"#), "\(declaration)"
        )
        try eaves(["new", "interface", "two"] + both).expectSuccess()
        for name in ["Shared", "Named"] {
            #expect(
                try eaves.text("Plugins/Two/\(name).swift").contains("public protocol \(name):"))
        }
        #expect(
            try eaves.text("Plugins/Shared/SharedShared.swift").contains("final class SharedShared")
        )
        try eaves("build", "shared", "two").expectSuccess()
        try eaves("verify", "--only", "declaration", "shared").expectSuccess()
    }

    /// Members of all forms that a sketch can have.
    private static let everyForm = """
        import TheBase

        public struct Place: Codable, Sendable { public init() {} }
        public struct Wrong: Error {}

        public protocol Everything: Named {
            var count: Int { get set }
            var later: [Place] { get async throws }
            static var title: String { get }
            init(place: Place)
            subscript(index: Int) -> String { get }
            func degrees(in city: String, at place: Place?) async throws -> Double
            func place(of name: String) throws -> Place
            func only() -> Place
            func table() -> [String: [Int]]
            func nested() -> [[Int]]
            func none()
            func pair() -> (Int, String)
            func closure(_ body: @escaping @Sendable (Int) -> Void) -> (@Sendable (Int) -> Int?)
            static func make() -> Set<String>
            func first<Values: Sequence>(of values: Values) -> Values.Element? where Values.Element: Hashable
            mutating func change()
            func typed() throws(Wrong) -> Place
            var wrong: Place { get throws(Wrong) }
            func hasDefault() -> Int
        }

        extension Everything { public func hasDefault() -> Int { 1 } }

        public protocol Shared: AnyObject, Sendable { func places() async -> [Place] }
        public protocol Generic: Sendable { associatedtype Value; func value() -> Value }
        @MainActor public protocol Screen { func show() }
        """

    @Test("compiles, also isolated, with an interface that has names of Swift and its own name")
    func takenNames() throws {
        let eaves = try Eaves.project()
        try eaves.write(
            #"{ "id": "names", "version": "1.0.0", "layer": "interface" }"#,
            to: "Plugins/Names/module.json")
        let types = "Result String Task Data Void Int Names Module Registrar Feature"
            .split(separator: " ")
            .map { "public struct \($0): Codable, Sendable { public init() {} }\n" }.joined()
        try eaves.write(
            """
            import Foundation

            public struct Error: Codable, Sendable, Swift.Error { public init() {} }
            \(types)
            public protocol Store: Sendable {
                func add(_ error: Error, to names: Names) async throws -> [Swift.String: Data]
                func bytes(_ void: Void) async throws -> Foundation.Data?
                func nothing(_ task: consuming Task) async throws -> Swift.Void
                func text() async throws -> Swift.String
                var date: Date? { get async throws }
            }
            public protocol Streams: Sendable {
                func all() async throws -> AsyncThrowingStream<Swift.Int, any Swift.Error>
            }
            public protocol Local: Sendable {
                func make() throws -> _Concurrency.Task<Swift.Int, Never>
                func result() throws -> Swift.Result<String, any Swift.Error>
                var count: Swift.Int { get }
            }
            """, to: "Plugins/Names/Names.swift")
        for (name, service) in [("store", "Store"), ("streams", "Streams"), ("local", "Local")] {
            try eaves("new", "service", name, "--provides", service).expectSuccess()
        }
        try eaves("new", "feature", "greeter", "--interface", "names").expectSuccess()
        let actors = try eaves("interface", "actors", "names", "Store").output
        let system = "typealias DefaultDistributedActorSystem = LocalTestingDistributedActorSystem"
        try eaves.write(actors + system, to: "Plugins/Store/Actors.swift")
        // It would warn of calls that cannot go to another process.
        try eaves.buildWithoutWarning()
    }

    @Test("is refused for a protocol that only its author can fulfil")
    func unsketchable() throws {
        let eaves = try Eaves.project()
        try eaves.write(
            #"{ "id": "all", "version": "1.0.0", "layer": "interface", "module": "EveryForm" }"#,
            to: "Plugins/All/module.json")
        try eaves.write(
            Self.everyForm.replacing("import TheBase", with: "")
                .replacing("Everything: Named", with: "Everything: Sendable"),
            to: "Plugins/All/All.swift")
        let generic = try eaves("new", "service", "generic", "--provides", "Generic")
        #expect(generic.code == 65)
        #expect(
            generic.errors.contains(
                "it has 'associatedtype Value', which only its author can choose"), "\(generic)")
        let screen = try eaves("new", "service", "screen", "--provides", "Screen")
        #expect(screen.code == 65)
        #expect(screen.errors.contains("EveryForm.Screen belongs to an actor"), "\(screen)")
        let names = try FileManager.default.contentsOfDirectory(atPath: eaves.path("Plugins").path)
        #expect(!names.contains("Generic") && !names.contains("Screen"), "\(names)")
    }

    private static let refusals: [([String], Int32, String)] = [
        (["thing", "hello"], 64, "there is no kind of module 'thing'"),
        (["featur", "hello"], 64, "did you mean 'feature'?"),
        (["feature", "Hello"], 64, "expected a name of small letters and digits"),
        (["feature"], 64, "'eaves new' expects KIND NAME, found 'feature'"),
        (["service", "cache"], 64, "does not say which service 'cache' provides"),
        (
            ["feature", "f", "--c", "--rust"], 64,
            "options '--c' and '--rust' do not go together"
        ),
        (["feature", "f", "--c", "--interface", "api"], 64, "services are protocols of Swift"),
        (["service", "s", "--c", "--provides", "APIService"], 64, "for features that use no"),
        (["interface", "i", "--c"], 64, "an interface is in Swift"),
        (["feature", "f", "--provides", "APIService"], 64, "for services, interfaces and"),
        (["service", "s", "--provides", "1+1"], 64, "expects the name of a protocol"),
        (
            ["service", "s", "--provides", "A.B", "--provides", "C.B"], 64,
            "options '--provides A.B' and '--provides C.B' do not go together"
        ),
        (["interface", "i", "--provides", "A.B"], 64, "expects the name of a protocol"),
        (["service", "s", "--provides", "APIServic"], 66, "did you mean 'APIService'?"),
        (["feature", "f", "--interface", "ap"], 66, "there is no interface module 'ap'"),
        (["feature", "api"], 73, "there is a module 'api' already"),
        (["feature", "greet"], 73, "there is a feature 'greet' already, which 'hello' offers"),
        (["feature", "foundation"], 65, "the Swift module 'Foundation', which exists already"),
        (
            ["feature", "taken"], 73,
            "Plugins/Taken is there already, and nothing is overwritten"
        ),
    ]

    /// All in one project, whose interface is compiled once.
    @Test("is refused with the reason, and nothing is written")
    func refused() throws {
        let eaves = try Eaves.project()
        try eaves.write(
            #"{ "id": "api", "version": "1.0.0", "layer": "interface" }"#,
            to: "Plugins/API/module.json")
        try eaves.write(
            "public protocol APIService: Sendable {}", to: "Plugins/API/APIService.swift")
        try eaves.write(
            """
            { "id": "hello", "version": "1.0.0", "layer": "feature",
              "features": [{ "name": "greet", "summary": "" }] }
            """, to: "Plugins/Hello/module.json")
        try eaves.write("", to: "Plugins/Taken/notes.txt")
        let package = try eaves.text("Package.swift")
        for (words, code, message) in Self.refusals {
            let outcome = try eaves(["new"] + words)
            #expect(outcome.code == code, "\(outcome)")
            #expect(outcome.errors.contains(message), "\(outcome)")
            #expect(outcome.errors.contains("fix: "), "\(outcome)")
        }
        #expect(try eaves.text("Package.swift") == package)
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: eaves.path("Plugins").path
        )
        .filter { !$0.hasPrefix(".") && !$0.hasSuffix(".so") }
        #expect(Set(folders) == ["API", "Hello", "Taken"])
    }

    @Test("is whole without a place in the package, and says what to add")
    func ownPackage() throws {
        let eaves = try Eaves.emptyFolder()
        try eaves.write("// mine", to: "Package.swift")
        try eaves("init").expectSuccess()
        let made = try eaves("new", "feature", "hello")
        made.expectSuccess()
        #expect(made.errors.contains(#"add: module("Plugins/Hello"),"#), "\(made)")
        #expect(try eaves.text("Package.swift") == "// mine")
        #expect(try eaves("launch", "hello").output == "Hello, world!\n")
    }
}
