// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Testing

@Suite("Settings")
struct SettingsTests {
    private let settings = Settings(
        [
            "null": .null, "bool": .bool(true), "number": .number(1.5), "string": .string("a"),
            "list": .list([.bool(false)]), "table": .table(["key": .null]),
            "absolute": .string("/etc/x"), "relative": .string("x/y"),
        ],
        directory: "/srv/app")

    @Test("returns values of their type")
    func values() throws {
        #expect(try settings.string("string") == "a")
        #expect(try settings.number("number") == 1.5)
        #expect(try settings.bool("bool") == true)
        #expect(settings["list"] == .list([.bool(false)]))
        #expect(settings["table"] == .table(["key": .null]))
    }

    @Test("returns nil for a setting that is absent")
    func absent() throws {
        #expect(settings["other"] == nil)
        #expect(try settings.string("other") == nil)
        #expect(try settings.number("other") == nil)
        #expect(try settings.bool("other") == nil)
        #expect(try settings.path("other") == nil)
    }

    @Test("starts relative paths from the manifest's folder, and keeps absolute ones")
    func paths() throws {
        #expect(try settings.path("relative") == "/srv/app/x/y")
        #expect(try settings.path("absolute") == "/etc/x")
        #expect(settings.path(relative: "z") == "/srv/app/z")
        #expect(settings.path(relative: "/z") == "/z")
        #expect(Settings().path(relative: "z") == "./z")
    }

    @Test(
        "an error names the setting, the expected and the found type",
        arguments: [
            ("null", "null"), ("bool", "true or false"), ("number", "1.5"),
            ("list", "a list"), ("table", "a table"),
        ])
    func wrongType(name: String, found: String) throws {
        let words = "setting '\(name)': expected a string, found \(found)"
        let text = #expect(throws: SettingsError.self) { try settings.string(name) }
        #expect(text?.description == words)
        let path = #expect(throws: SettingsError.self) { try settings.path(name) }
        #expect(path?.description == words)
    }

    @Test("a number is not a truth value, nor the other way round")
    func numbersAndTruth() throws {
        let number = #expect(throws: SettingsError.self) { try settings.number("bool") }
        #expect(
            number?.description
                == "setting 'bool': expected a number that a Double holds, found true or false")
        let truth = #expect(throws: SettingsError.self) { try settings.bool("string") }
        #expect(truth?.description == "setting 'string': expected true or false, found a string")
    }

    /// Numbers, with what `number` and `integer` give; `nil` for an error.
    private static let numbers: [(Settings.Value, Double?, Int?, String)] = [
        (.number(3), 3, 3, ""), (.number(0x1p53), 0x1p53, 1 << 53, ""),
        (.number(2.5), 2.5, nil, "2.5"),
        (.number(1e300), 1e300, nil, "1e+300"),
        (.number(0x1p63), 0x1p63, nil, "9223372036854775808"),
        (.digits("9007199254740993"), nil, 9_007_199_254_740_993, "9007199254740993"),
        (.digits("18446744073709551615"), nil, nil, "18446744073709551615"),
        (.digits("4503599627370496.2"), 0x1p52, nil, "4503599627370496.2"),
    ]

    @Test("gives no other number than the manifest has, and names its place", arguments: numbers)
    func exactNumbers(value: Settings.Value, number: Double?, integer: Int?, found: String) {
        var settings = Settings(["n": value])
        settings.places = ["n": "manifest.json:3:14"]
        let given = Result { try settings.number("n") }
        let whole = Result { try settings.integer("n") }
        #expect((try? given.get()) == number)
        #expect((try? whole.get()) == integer)
        for case .failure(let error) in [given.map { _ in }, whole.map { _ in }] {
            #expect("\(error)".hasPrefix("manifest.json:3:14: setting 'n': expected a "))
            #expect("\(error)".hasSuffix(", found \(found)"))
        }
    }
}
