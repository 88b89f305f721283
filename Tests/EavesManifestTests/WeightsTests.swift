// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesTestSupport
import Testing

@testable import EavesManifest

@Suite("Modules that share a binding")
struct WeightsTests {
    private static let users = Weights(
        [BindingShare("users-v2", 10), BindingShare("users-memory", 90)], by: "user")

    private func chosen(
        _ weights: Weights, _ value: String, of key: String = "UserService"
    ) -> String {
        weights.module(for: value, of: BindingKey(text: key))
    }

    private func binding(_ value: String, _ key: String = "UserService") throws -> Binding? {
        try manifest(#"{"manifest":1,"bindings":{"\#(key)":\#(value)}}"#).bindings.first
    }

    @Test("are read with their weights, in the order of the manifest, and their key")
    func reading() throws {
        let binding = try binding(#"{"users-v2": 10, "users-memory": 90, "by": "user"}"#)
        #expect(binding?.target == .weights(Self.users))
        #expect(binding?.modules == ["users-v2", "users-memory"])
        #expect(try self.binding(#"{"a": 0, "b": 1.0}"#)?.weights?.key == nil)
        #expect(try self.binding(#""by""#)?.target == .module("by"))
    }

    @Test(
        "give a canary a share above 0 and below a half",
        arguments: ["0%", "50%", "150%", "ten", "-1%", "1e1%", ""])
    func canaryShare(text: String) throws {
        #expect(throws: CanaryError.self) { try CanaryShare(text) }
    }

    @Test("can share a named binding")
    func named() throws {
        let binding = try binding(#"{"a": 1}"#, "Net.UserService#old=#1")
        #expect(binding?.key == BindingKey("Net.UserService", name: "old=#1"))
        #expect(binding?.key.text == "Net.UserService#old=#1")
        #expect(binding?.key.word.text == "UserService#old=#1")
    }

    @Test(
        "are refused with the place, and with what was expected",
        arguments: [
            (#"{}"#, 41, ": expected a module with a weight above 0, found none"),
            (#"{"a": 0}"#, 41, ": expected a module with a weight above 0, found none"),
            (
                #"{"a": -1}"#, 47,
                ".a: expected a weight, a whole number from 0 to 1000000000, found -1"
            ),
            (
                #"{"a": 0.5}"#, 47,
                ".a: expected a weight, a whole number from 0 to 1000000000, found 0.5"
            ),
            (
                #"{"a": "10"}"#, 47,
                ".a: expected a weight, a whole number from 0 to 1000000000, found '10'"
            ),
            (
                #"{"a": 1000000001}"#, 47,
                ".a: expected a weight, a whole number from 0 to 1000000000, found 1000000001"
            ),
            (#"{"A": 1}"#, 42, ": 'A' is not a module id"),
            (
                #"{"a": 1, "by": 10}"#, 56,
                ".by: expected the name of the key that decides, such as \"user\", found 10"
            ),
            (
                #"{"a": 1, "by": "two words"}"#, 56,
                ".by: expected the name of the key that decides, such as \"user\", found 'two words'"
            ),
            ("true", 41, ": expected the id of a module, or an object of weights, found true"),
        ])
    func wrong(value: String, column: Int, message: String) {
        let found = problems(in: #"{"manifest":1,"bindings":{"UserService":\#(value)}}"#)
        #expect(
            found.map(\.message) == ["manifest.json:1:\(column): bindings.UserService\(message)"])
        #expect(found.allSatisfy { $0.fix != nil })
    }

    @Test("are shown by their shares, the greatest first")
    func words() {
        #expect(Self.users.words == "users-memory 90 %, users-v2 10 %, by user")
        let odd = Weights([BindingShare("b", 1), BindingShare("a", 1), BindingShare("c", 1)])
        #expect(odd.words == "a 33.3 %, b 33.3 %, c 33.3 %, by chance")
        let extreme = Weights(
            [BindingShare("a", 0), BindingShare("b", 1), BindingShare("c", 99999)])
        #expect(extreme.words == "c >99.9 %, b <0.1 %, a 0 %, by chance")
    }

    /// Documentation/Manifest.md has the program that computed these.
    @Test(
        "are chosen as another program chooses that follows the documentation",
        arguments: [
            ("alice", "users-memory", "users-v2", "b"),
            ("bob", "users-memory", "users-memory", "b"),
            ("carol", "users-memory", "users-v2", "b"), ("dave", "users-memory", "users-v2", "c"),
            ("frank", "users-v2", "users-v2", "a"), ("grace", "users-v2", "users-v2", "b"),
            ("mallory", "users-memory", "users-v2", "c"),
            ("victor", "users-memory", "users-memory", "c"),
        ])
    func vectors(value: String, tenth: String, half: String, named: String) {
        #expect(chosen(Self.users, value) == tenth)
        let even = Weights([BindingShare("users-v2", 1), BindingShare("users-memory", 1)])
        #expect(chosen(even, value) == half)
        let three = Weights([BindingShare("a", 1), BindingShare("b", 2), BindingShare("c", 3)])
        #expect(chosen(three, value, of: "Net.UserService#v1") == named)
    }

    @Test("have logarithms that are exact in all bits")
    func logarithm() {
        #expect(
            [1, 2, 3, 1000, UInt64.max].map(Weights.binaryLogarithm)
                == [0, 4_294_967_296, 6_807_362_105, 42_802_717_581, 274_877_906_943])
    }

    /// The same ones in each run, more of them in a soak.
    private static let values = (0..<Soak.rounds(20_000)).map { "user-\($0)" }

    private func counts(_ weights: Weights) -> [String: Int] {
        Self.values.reduce(into: [:]) { $0[chosen(weights, $1), default: 0] += 1 }
    }

    /// Whether a part of the values is as large as a share of them in a fair draw, up to four standard
    /// deviations.
    private func isFair(_ count: Int, _ share: Double) -> Bool {
        let all = Double(Self.values.count)
        return abs(Double(count) - share * all) < 4 * (share * (1 - share) * all).squareRoot()
    }

    @Test("get as many of 10,000 keys as their weights say")
    func documented() {
        let modules = (0..<10_000).map { chosen(Self.users, "user-\($0)") }
        #expect(modules.count { $0 == "users-memory" } == 8978)
        #expect(modules.count { $0 == "users-v2" } == 1022)
    }

    @Test("get their shares, however large and small they are")
    func distribution() {
        let three = Weights([BindingShare("a", 1), BindingShare("b", 2), BindingShare("c", 5)])
        let found = counts(three)
        for (module, share) in ["a": 0.125, "b": 0.25, "c": 0.625] {
            #expect(isFair(found[module] ?? 0, share), "\(found)")
        }
        let rare = Weights([BindingShare("a", 1), BindingShare("b", 999_999_999)])
        #expect(counts(rare) == ["b": Self.values.count])
        let off = Weights([BindingShare("a", 0), BindingShare("b", 1)])
        #expect(counts(off) == ["b": Self.values.count])
    }

    @Test("lose keys only to the module whose weight is raised, and all others keep theirs")
    func movement() {
        let before = Weights(
            [BindingShare("a", 10), BindingShare("b", 50), BindingShare("c", 40)], by: "user")
        let after = Weights(
            [BindingShare("a", 20), BindingShare("b", 50), BindingShare("c", 40)], by: "user")
        let moved = Self.values.filter { chosen(before, $0) != chosen(after, $0) }
        #expect(moved.allSatisfy { chosen(after, $0) == "a" })
        // From 10 of 100 to 20 of 110.
        #expect(isFair(moved.count, 20.0 / 110 - 0.1), "\(moved.count)")
        let removed = Weights([BindingShare("b", 50), BindingShare("c", 40)])
        let freed = Self.values.filter { chosen(before, $0) != chosen(removed, $0) }
        #expect(freed.allSatisfy { chosen(before, $0) == "a" })
    }

    @Test("are chosen for each binding by itself, whatever their order and the Swift module")
    func independence() {
        let reversed = Weights([BindingShare("users-memory", 90), BindingShare("users-v2", 10)])
        #expect(Self.values.allSatisfy { chosen(reversed, $0) == chosen(Self.users, $0) })
        #expect(
            Self.values.allSatisfy {
                chosen(Self.users, $0, of: "Common.UserService") == chosen(Self.users, $0)
            })
        let isV2: (String, String) -> Bool = { chosen(Self.users, $0, of: $1) == "users-v2" }
        let both = Self.values.filter { isV2($0, "UserService") && isV2($0, "UserService#old") }
        // A tenth of a tenth.
        #expect(isFair(both.count, 0.01), "\(both.count)")
    }

    @Test("leave it to the greatest weight if the key has no value, and of equals to the first id")
    func fallback() throws {
        let text = #"""
            {"manifest":1,"bindings":{
              "A": {"y": 1, "x": 1, "by": "user"}, "B": {"y": 2, "x": 1, "by": "user"},
              "C": {"x": 1, "y": 2}}}
            """#
        let manifest = try manifest(text)
        #expect(["A", "B"].map { manifest.binding(of: $0) } == ["x", "y"])
        #expect(manifest.chosen.choices.map(\.reason) == [.noValue, .noValue, .chance])
        let empty = manifest.choosing(BindingChoices(by: ["user": "", "other": "x"]))
        #expect(empty.chosen.choices.map(\.reason) == [.noValue, .noValue, .chance])
        let chosen = manifest.choosing(BindingChoices(by: ["user": "alice"]))
        #expect(chosen.chosen.choices.map(\.reason) == [.value, .value, .chance])
        #expect(manifest.choiceKeys == ["user"])
    }

    @Test("are drawn once in a process where there is no key, and by their weights")
    func chance() throws {
        let manifest = try manifest(#"{"manifest":1,"bindings":{"A":{"x":1,"y":3}}}"#)
        #expect(manifest.drawn.binding(of: "A") == manifest.drawn.binding(of: "A"))
        #expect(manifest.drawn.choices.chance == BindingChoices.chanceOfProcess)
        let drawn = Self.values.map {
            manifest.choosing(BindingChoices(chance: $0)).binding(of: "A")
        }
        #expect(isFair(drawn.count { $0 == "y" }, 0.75))
    }

    @Test("give way to a module that is demanded, also under a qualified name")
    func demands() throws {
        let manifest = try manifest(
            #"{"manifest":1,"bindings":{"Net.A":{"x":1,"y":3},"A#old":"z","B":"x"}}"#)
        let demands = [("A", "w"), ("A#old", "v"), ("C", "u")].map {
            BindingChoices.Demand(BindingKey(text: $0), $1)
        }
        let chosen = manifest.choosing(BindingChoices(with: demands))
        #expect(chosen.binding(of: "A") == "w")
        #expect(chosen.binding(of: "Net.A") == "w")
        #expect(chosen.binding(of: "Net.A", name: "old") == "v")
        #expect(chosen.binding(of: "B") == "x")
        #expect(chosen.binding(of: "C") == "u")
        #expect(chosen.bindings == manifest.bindings)
        #expect(
            chosen.chosen.differences(from: manifest.chosen)
                == [
                    BindingKey("Net.A"): "w", BindingKey("A"): "w",
                    BindingKey("A", name: "old"): "v", BindingKey("C"): "u",
                ])
    }
}

@Suite("Undoing changes of weights")
struct WeightsHistoryTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("manifest.json") }

    private static let text = """
        {
          "manifest": 1,
          "modules": { "far": { "library": "vendor/far.so" } },
          "bindings": {
            "Users": { "home": 90,   "far": 10, "by": "user" },
            "Weather": { "far": 1, "near": 0 },
            "Tides#old": "far"
          }
        }

        """

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Self.text)
    }

    private func undo() throws -> ManifestEdit {
        try ManifestEditor.edit(path) { try $0.undoLast(1)[0] }
    }

    @Test("brings back the weights that a swap replaced, byte for byte")
    func swap() throws {
        let swap = try ManifestEditor.edit(path) { try $0.swap("Users", to: "far") }
        #expect(swap?.parts[0].bindingBefore?.words == "home 90 %, far 10 %, by user")
        #expect(try Manifest.load(path).binding(BindingKey("Users"))?.target == .module("far"))
        let again = try ManifestEditor.edit(path) { try $0.swap("Users", to: "far") }
        #expect(again == nil)
        #expect(try undo() == swap)
        #expect(try folder.read() == Self.text)
    }

    @Test("swaps a named binding, which has a key of its own")
    func named() throws {
        let swap = try ManifestEditor.edit(path) { try $0.swap("Net.Tides#old", to: "home") }
        #expect(swap?.untimed == .swap("Tides#old", from: "far", to: "home"))
        #expect(try Manifest.load(path).binding(of: "Tides", name: "old") == "home")
        #expect(try undo().wasUndone == false)
        #expect(try folder.read() == Self.text)
    }

    @Test("takes a removed module out of weights, and puts it back")
    func removal() throws {
        let removal = try ManifestEditor.edit(path) { try $0.remove("far") }
        let bindings = try Manifest.load(path).bindings
        #expect(bindings.map(\.words) == ["home 100 %, by user"])
        #expect(removal?.services == ["Users", "Weather", "Tides#old"])
        #expect(
            removal?.parts.dropFirst().map(\.bindingAfter?.words)
                == ["home 100 %, by user", nil, nil])
        #expect(try undo() == removal)
        let after = try Manifest.load(path)
        #expect(
            after.bindings.map(\.words).sorted()
                == ["far", "far 100 %, near 0 %, by chance", "home 90 %, far 10 %, by user"])
    }

    @Test("gives a bad module's calls to the only other one that has a share above 0")
    func retreat() throws {
        try folder.write(
            #"{ "manifest": 1, "bindings": { "Users": { "idle": 0, "bad": 5, "good": 95 } } }"#)
        let retreat = try ManifestEditor.edit(path) {
            try $0.retreat("Users", from: "bad", to: nil, because: "it fails")
        }
        #expect(retreat?.parts.count == 1)
        #expect(try Manifest.load(path).binding(BindingKey("Users"))?.target == .module("good"))
    }

    @Test("undoes a removal that an earlier version has kept in other words")
    func earlierRemoval() throws {
        let history = #"""
            {"schema": 2, "changes": [{"manifest": "manifest.json", "time": 1700000000, "removed": "far",
            "entry": "{ \"library\": \"vendor/far.so\" }", "services": ["Tides#old"], "shares": [
            {"service": "Users", "before": "{ \"home\": 90,   \"far\": 10, \"by\": \"user\" }",
            "after": "{ \"home\": 90,   \"by\": \"user\" }"},
            {"service": "Weather", "before": "{ \"far\": 1, \"near\": 0 }", "after": null}]}]}
            """#
        try folder.write(Array(history.utf8), to: ".eaves/history.json")
        try folder.write(
            #"{ "manifest": 1, "bindings": { "Users": { "home": 90,   "by": "user" } } }"#)
        let removal = try #require(Manifest.load(path).pastEdits().first)
        #expect(removal.kind == .removal && removal.module == "far")
        #expect(removal.services == ["Tides#old", "Users", "Weather"])
        #expect(removal.time == 1_700_000_000)
        #expect(try undo() == removal)
        let after = try Manifest.load(path)
        #expect(after.entry("far")?.library == "vendor/far.so")
        #expect(
            after.bindings.map(\.words).sorted()
                == ["far", "far 100 %, near 0 %, by chance", "home 90 %, far 10 %, by user"])
        #expect(try folder.read(".eaves/history.json").contains(#""schema": 3"#))
    }

    @Test("changes nothing if the weights were changed since")
    func changedSince() throws {
        try ManifestEditor.edit(path) { try $0.remove("far") }
        let text = try folder.read().replacing("90", with: "80")
        try folder.write(text)
        #expect(
            problems { _ = try undo() }.map(\.message) == [
                #"bindings.Users: expected '{ "home": 90,   "by": "user" }', as 'eaves remove far' "#
                    + #"left it, found '{ "home": 80,   "by": "user" }'"#
            ])
        #expect(try folder.read() == text)
    }
}
