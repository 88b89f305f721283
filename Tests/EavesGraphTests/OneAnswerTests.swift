// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesLife
import EavesManifest
import EavesTestSupport
import Testing

@testable import EavesGraph
@testable import EavesHost

/// Applications that are made by chance, about which the picture, the audit, the validation and a launch have to say the
/// same: who provides what a module requires.
@Suite("Who provides a service, asked in several ways")
struct OneAnswerTests {
    private static let services = ["A", "B", "C", "D"]

    /// A folder with up to six modules and a feature `go`, and a manifest that binds some of the services.
    private struct Chance {
        let folder: TemporaryFolder
        let host: Host
        let manifest: Manifest
        /// The services that the manifest shares by weights.
        let shared: Set<String>

        init(_ seed: UInt64) throws {
            var numbers = SeededNumbers(seed: seed)
            folder = try TemporaryFolder()
            let ids = (0..<Int.random(in: 1...6, using: &numbers)).map { "m\($0)" }
            for id in ids {
                var declaration = ModuleDeclaration.sample(
                    id, requires: Self.some(of: services, 1, &numbers))
                for service in services where Int.random(in: 0..<3, using: &numbers) == 0 {
                    let name = Int.random(in: 0..<3, using: &numbers) == 0 ? "x" : nil
                    declaration.provides.append(Provision(service: service, name: name))
                }
                try folder.add(declaration, tag: BuildTag(abi: 1))
            }
            try folder.add(
                .sample("go", requires: Self.some(of: services, 3, &numbers), features: ["go"]),
                tag: BuildTag(abi: 1))
            let off = Self.some(of: ids, 1, &numbers).map { #""\#($0)": { "enabled": false } "# }
            var bindings: [String] = []
            var shared: Set<String> = []
            for service in services {
                let one = ids.randomElement(using: &numbers) ?? ""
                let other = ids.randomElement(using: &numbers) ?? ""
                switch Int.random(in: 0..<5, using: &numbers) {
                case 0: bindings.append(#""\#(service)": "\#(one)""#)
                case 1: bindings.append(#""\#(service)#x": "\#(one)""#)
                case 2 where one != other:
                    shared.insert(service)
                    bindings.append(#""\#(service)": { "\#(one)": 1, "\#(other)": 3 }"#)
                default: break
                }
            }
            self.shared = shared
            manifest = try Manifest.load(
                folder.write(
                    """
                    { "manifest": 1, "modules": { \(off.joined(separator: ", ")) },
                      "bindings": { \(bindings.joined(separator: ", ")) } }
                    """, to: "manifest.json"))
            host = try Host(manifest: manifest)
        }

        private static func some(
            of words: [String], _ most: Int, _ numbers: inout SeededNumbers
        ) -> [String] {
            let count = Int.random(in: 0...min(most, words.count), using: &numbers)
            return Array(words.shuffled(using: &numbers).prefix(count)).sorted()
        }

        var wiring: Wiring {
            Wiring(host.knownModules, of: manifest, in: WiredProgram { host.isOwn($0) })
        }
    }

    /// The service that a problem is about, whether several modules provide it, and the module that requires it.
    private static func parts(
        _ error: ProviderError
    ) -> (service: String, isAmbiguous: Bool, module: String?) {
        switch error {
        case .missing(let sought, _, _, _, let chain): (sought.word, false, chain.last)
        case .ambiguous(let sought, _, let chain): (sought.word, true, chain.last)
        case .unusableBinding(let service, _, _, let chain): (service, false, chain.last)
        }
    }

    @Test("has one answer", arguments: 0..<150 as Range<UInt64>)
    func oneAnswer(_ seed: UInt64) throws {
        let chance = try Chance(seed)
        let wiring = chance.wiring
        let graph = ModuleGraph(wiring)
        let problems = try chance.host.findProblems()

        // The validation and the picture, of each requirement of each module that can be used.
        var reported: [String: Bool] = [:]
        var circles: Set<String> = []
        for problem in problems {
            switch problem {
            case .provider(let error):
                let (service, isAmbiguous, module) = Self.parts(error)
                if let module { reported["\(module) \(service)"] = isAmbiguous }
            case .circle(let requirements):
                circles.formUnion(requirements.map { "\($0.module) \($0.service)" })
            default: break
            }
        }
        for module in wiring.activeModules where module.entry.isAvailable {
            for service in module.requires where !chance.shared.contains(service) {
                let edges = graph.edges.filter {
                    $0.kind == .requires && $0.from.key == module.id
                        && ServiceName.word($0.to.key.prefix { $0 != " " }.description) == service
                }
                #expect(!edges.isEmpty)
                let states = Set(edges.map(\.state))
                let word = "\(module.id) \(service)"
                switch reported[word] {
                case true?: #expect(states == [.ambiguous], "\(word)")
                case false?: #expect(states == [.missing], "\(word)")
                case nil:
                    #expect(states == [circles.contains(word) ? .cyclic : .bound], "\(word)")
                }
            }
        }

        // A launch, of what its feature requires.
        let go = try #require(wiring.module("go"))
        let direct = go.requires.filter { !chance.shared.contains($0) }
        do throws(PlanError) {
            let plan = try Plan(
                launching: "go", chance.host.knownModules, unless: { chance.host.isOwn($0) })
            let planned = Set(plan.modules.map(\.id))
            for service in direct {
                switch wiring.choice(of: service) {
                case .modules(let ids): #expect(planned.isSuperset(of: ids), "\(service)")
                case .named: break
                case .host, .missing, .ambiguous: Issue.record("\(service) is launched")
                }
            }
            #expect(Reach(wiring).modules.isSuperset(of: planned))
        } catch {
            let failed = Set(error.problems.map { Self.parts($0).service })
            for service in direct {
                let choice = wiring.choice(of: service)
                let isRefused: Bool
                switch choice {
                case .missing, .ambiguous: isRefused = true
                case .host, .modules, .named: isRefused = false
                }
                #expect(failed.contains(service) == isRefused, "\(service): \(choice)")
            }
        }
    }
}

@Suite("the declarations that a binary mentions")
struct BinaryMentionsTests {
    private func mentions(_ needs: [String], defines: [String] = []) throws -> BinaryMentions {
        var module = Application.Module.module("users", needs: needs)
        module.defines = defines
        let application = try Application([module])
        let entry = try #require(application.catalog.entry("users"))
        return try #require(BinaryMentions(of: entry))
    }

    private let service = "CommonInterface.UserService"

    @Test("tell whether it asks for a service, calls it, or only implements it")
    func roles() throws {
        let passes = try mentions([Symbol.descriptor("UserService")])
        #expect(passes.asks(for: service) && !passes.calls(service))
        let calls = try mentions([Symbol.thunk("UserService")])
        #expect(calls.asks(for: service) && calls.calls(service))
        let implements = try mentions([
            Symbol.descriptor("UserService"), Symbol.requirement("UserService"),
        ])
        #expect(!implements.asks(for: service) && implements.implements(service))
        #expect(implements.mentions(service) && implements.mentions("UserService"))
        #expect(!implements.mentions("CommonInterface.User"))
    }

    @Test("of an interface tell what the members of a type mention")
    func companions() throws {
        // HomeRoute.feature(from: HomeFactory) throws -> EavesInterface.Feature
        let member =
            "$s15CommonInterface9HomeRouteV7feature4from05EavesB07Feature_pAA0C7Factory_p_tKF"
        let found = try mentions([], defines: [member]).companions["CommonInterface.HomeRoute"]
        #expect(found?.contains("CommonInterface.HomeFactory") == true)
    }

    @Test("are not known of a module in another language, nor of one that is not there")
    func unknown() throws {
        var module = Application.Module.module("users")
        module.tag.compiler = nil
        let application = try Application([module])
        let entry = try #require(application.catalog.entry("users"))
        #expect(BinaryMentions(of: entry) == nil)
        let missing = CatalogEntry(id: "gone", path: "gone.so", file: "/nowhere/gone.so")
        #expect(BinaryMentions(of: missing) == nil)
    }

    @Test("are qualified names, and each of their beginnings")
    func names() {
        let text =
            "dispatch thunk of (extension in A):A.B.c(named: Swift.String) async throws -> [A.D]?"
        #expect(QualifiedNames.all(in: text) == ["A.B.c", "Swift.String", "A.D"])
        #expect(QualifiedNames.all(in: "a ... b. .c d.e.") == [])
        #expect(QualifiedNames.beginnings(of: "A.B.c") == ["A.B", "A.B.c"])
        #expect(QualifiedNames.declaration("A.B.c.d") == "A.B")
        #expect(QualifiedNames.declaration("A.B") == "A.B")
    }
}
