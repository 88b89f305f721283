// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import Foundation
import Testing

@testable import EavesOutput

/// The data that `eaves list` prints, as JSON and for people. Modules are real files that are never loaded; the end-to-end
/// tests print the same about modules that run.
@Suite("reports of list")
struct ListReportTests {
    @Test("have the contract's members, and modules in order of their ids")
    func list() throws {
        let object = try Workspace.ofWeather().eaves("list", "--json").object()
        #expect(Set(object.keys) == ["schema", "features", "modules", "bindings"])
        let modules = try #require(object["modules"] as? [[String: Any]])
        #expect(modules.map { $0["id"] as? String } == ["home", "sunny", "users"])
        #expect(modules.map { $0["state"] as? String } == ["missing", "ready", "disabled"])
        #expect(modules.map { $0["problem"] is String } == [true, false, false])
        #expect(modules[1]["provides"] as? [String] == ["Weather"])
        #expect(modules.allSatisfy { $0["pinned"] as? Bool == false })
        let features = try #require(object["features"] as? [[String: Any]])
        #expect(features.map { $0["name"] as? String } == ["home", "sunny", "users"])
        #expect(object["bindings"] as? [String: String] == ["Weather": "sunny"])
    }

    @Test("are three tables, with a column for pins once there is one")
    func listTables() throws {
        let workspace = try Workspace.ofWeather()
        let outcome = workspace.eaves("list")
        #expect(outcome.code == 0)
        #expect(outcome.lines.contains("sunny    sunny   ready     Try sunny"))
        #expect(
            outcome.lines.contains(
                "sunny   1.0.0    ready     Weather   -         Plugins/sunny.so"))
        #expect(outcome.lines.last == "Weather  sunny")
        #expect(outcome.errors.contains("fix: run 'eaves build home'"))
        #expect(!outcome.output.contains("PINNED"))
        #expect(workspace.eaves("pin", "sunny").code == 0)
        let pinned = workspace.eaves("list").output
        #expect(pinned.contains("STATE     PINNED  PROVIDES"))
        #expect(pinned.contains("sunny   1.0.0    ready     yes     Weather"))
        #expect(try Workspace().eaves("list").output == "no modules\n")
    }

    @Test(
        "show what was asked for",
        arguments: [
            (["sun"], ["sunny sunny", "sunny", "-"]), (["S?NNY"], ["sunny sunny", "sunny", "-"]),
            (["sunn"], ["sunny sunny", "sunny", "-"]), (["s*"], ["sunny sunny", "sunny", "-"]),
            (["sun?"], ["-", "-", "-"]), (["weather"], ["-", "-", "Weather"]),
            (["--state", "ready"], ["sunny sunny", "sunny", "Weather"]),
            (["--state", "missing", "--modules"], ["home"]),
            (["--state", "missing"], ["home home", "home", "-"]),
            (["--provides", "Weather"], ["sunny sunny", "sunny", "Weather"]),
            (["--provides", "Sky.Weather", "--modules"], ["sunny"]),
            (["--provides", "Rain"], ["-", "-", "-"]), (["--features", "o"], ["home home"]),
        ])
    func listQuestion(words: [String], found: [String]) throws {
        let workspace = try Workspace.ofWeather()
        let object = try TestCommand.run(
            ["--manifest", workspace("manifest.json"), "list", "--json"] + words
        ).object()
        func names(_ key: String, _ members: [String]) throws -> String? {
            guard let rows = object[key] as? [[String: Any]] else { return nil }
            let names = rows.map { row in members.compactMap { row[$0] as? String } }
                .map { $0.joined(separator: " ") }
            return names.isEmpty ? "-" : names.joined(separator: ", ")
        }
        let bindings = (object["bindings"] as? [String: String])?.keys.joined()
        let shown = [
            try names("features", ["name", "module"]), try names("modules", ["id"]),
            bindings.map { $0.isEmpty ? "-" : $0 },
        ]
        #expect(shown.compactMap(\.self) == found)
    }

    @Test("show which modules provide a service, if services are asked for")
    func listServices() throws {
        let workspace = try Workspace.ofWeather()
        try workspace.addFile("Plugins/rainy.so", "rainy", provides: "Weather")
        try workspace.addFile("Plugins/wet.so", "wet", provides: "Water")
        let outcome = workspace.eaves("list", "--services")
        #expect(
            outcome.lines == [
                "SERVICE  PROVIDED BY   BOUND TO", "Water    wet           -",
                "Weather  rainy, sunny  sunny",
            ])
        let object = try workspace.eaves("list", "--services", "--json").object()
        #expect(Set(object.keys) == ["schema", "services", "bindings"])
        let services = try #require(object["services"] as? [[String: Any]])
        #expect(services.map { $0["service"] as? String } == ["Water", "Weather"])
        #expect(services.map { $0["providers"] as? [String] } == [["wet"], ["rainy", "sunny"]])
        #expect(workspace.eaves("list", "--provides", "Snow").output == "no matches\n")
    }

    @Test("have numbers in their order for people, and warn only of what they show")
    func listOrder() throws {
        let workspace = try Workspace()
        for number in [1, 2, 10] {
            try workspace.addFile("Plugins/users-\(number).so", "users-\(number)")
        }
        for name in ["one", "two", "three"] { try workspace.addSources(name, name) }
        let modules = workspace.eaves("list", "users", "--modules")
        #expect(
            modules.lines.dropFirst().map { $0.prefix(8) } == ["users-1 ", "users-2 ", "users-10"])
        #expect(modules.errors == "")
        let warning = "warning: 3 modules are not built yet: one, three, two\n"
        #expect(workspace.eaves("list").errors == warning + "fix: run 'eaves build'\n")
        #expect(workspace.eaves("list", "two").errors.contains("fix: run 'eaves build two'"))
    }

    @Test("know no other states than those of modules")
    func listState() throws {
        let outcome = try Workspace.ofWeather().eaves("list", "--state", "redy")
        #expect(outcome.code == 64)
        #expect(outcome.errors.contains("there is no state 'redy', did you mean 'ready'?"))
        #expect(outcome.errors.contains("fix: choose one of ready, disabled, missing"))
    }

    @Test("say once what is wrong with a directory")
    func listOnce() throws {
        let workspace = try Workspace()
        try workspace.addFile("Plugins/sunny.so", "sunny")
        try workspace.addFile("Plugins/rainy.so", "rainy")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o777], ofItemAtPath: workspace("Plugins"))
        let errors = workspace.eaves("list").errors
        #expect(errors.split(separator: "\n").count == 2, "\(errors)")
    }
}

@Suite("tables in a window")
struct FittedTableTests {
    private func table(_ rows: [String]...) -> Table {
        let columns: [Table.Column] = [
            "NAME", Table.Column("STATE") { $0 == "bad" ? "31" : nil },
            Table.Column("WHAT", .isCut), Table.Column("WHY", .isCut),
            Table.Column("FILE", .isLeftOut),
        ]
        return Table(columns, rows: rows)
    }

    private func lines(_ table: Table, columns: Int?, isColored: Bool = false) -> [Substring] {
        table.text(PageStyle(columns: columns, isColored: isColored)).split(separator: "\n")
    }

    private let row = ["one", "good", "a long text", "a longer text that ends", "Plugins/one.so"]

    @Test("are as wide as their texts in a file, and on a terminal that is wide enough")
    func whole() {
        let whole = "one   good   a long text  a longer text that ends  Plugins/one.so"
        #expect(lines(table(row), columns: nil).last == whole[...])
        #expect(lines(table(row), columns: whole.count).last == whole[...])
        #expect(table(row).text == lines(table(row), columns: nil).joined(separator: "\n") + "\n")
    }

    @Test("first leave out a column, then cut texts, and then leave out the columns of these")
    func narrow() {
        let table = table(row)
        #expect(
            lines(table, columns: 64) == [
                "NAME  STATE  WHAT         WHY",
                "one   good   a long text  a longer text that ends",
            ])
        #expect(lines(table, columns: 40)[1] == "one   good   a long text  a longer text…")
        #expect(lines(table, columns: 32)[1] == "one   good   a long …  a longer…")
        let turned = [row[0], row[1], row[3], row[2], row[4]]
        #expect(
            lines(self.table(turned), columns: 40)[1] == "one   good   a longer text…  a long text")
        #expect(lines(table, columns: 30)[1] == "one   good   a long text")
        #expect(lines(table, columns: 15)[1] == "one   good")
        #expect(lines(table, columns: 2)[1] == "one   good")
    }

    @Test("are never wider than the terminal if what stays is not", arguments: 13...80)
    func widths(columns: Int) {
        let rows = table(row, ["two", "bad", "日本語の長い説明文", "", "-"])
        for line in lines(rows, columns: columns) { #expect(line.count <= columns) }
    }

    @Test("have colours that the widths do not count, and none in their headings")
    func colors() {
        let lines = lines(
            table(["one", "good", "a", "b", "c"], ["bad", "bad", "a", "b", "c"]), columns: nil,
            isColored: true)
        #expect(
            lines == [
                "NAME  STATE  WHAT  WHY  FILE", "one   good   a     b    c",
                "bad   \u{1b}[31mbad\u{1b}[0m    a     b    c",
            ])
    }

    @Test("show no control characters of texts, coloured or not")
    func control() {
        let text = table(["a\u{1b}[31m", "bad", "b\nc", "", ""]).text(
            PageStyle(columns: nil, isColored: true))
        #expect(text.contains(#"a\u{1b}[31m"#) && text.contains(#"b\u{a}c"#))
    }
}

@Suite("the line of a build")
struct ProgressLineTests {
    @Test("names the modules with whole seconds, and ends where the terminal does")
    func text() {
        let standing = BuildStatus(
            done: 3, count: 12,
            compiling: [
                BuildStatus.Compiling(id: "swift-collections", duration: .milliseconds(31_900)),
                BuildStatus.Compiling(id: "users", duration: .zero),
            ])
        #expect(standing.text(columns: 80) == "[3/12] swift-collections 31 s, users 0 s")
        #expect(standing.text(columns: 20) == "[3/12] swift-collec…")
        #expect(standing.text(columns: 0) == "")
    }

    @Test("is one line for each build program where a line cannot change")
    func beginnings() {
        let console = TestConsole()
        let line = ProgressLine(Terminal(console: console))
        var standing = BuildStatus(
            done: 0, count: 2,
            compiling: [BuildStatus.Compiling(id: "users", duration: .seconds(9))])
        line.show(standing)
        #expect(console.errors == "")
        standing.compiling.append(
            BuildStatus.Compiling(id: "crate", duration: .zero, program: "cargo build"))
        line.show(standing)
        line.show(standing)
        #expect(console.errors == "compiling crate with 'cargo build'\n")
    }
}

@Suite("the pager")
struct PagerTests {
    @Test(
        "is the one of EAVES_PAGER, of PAGER, or less, and none if one of them says so",
        arguments: [
            (["EAVES_PAGER": "more", "PAGER": "most"], true), (["PAGER": "more -s"], true),
            (["EAVES_PAGER": "", "PAGER": "most"], false), (["PAGER": "cat"], false),
            (["PATH": "/nowhere"], false),
        ])
    func choice(variables: [String: String], isThere: Bool) {
        #expect((Pager { variables[$0] } != nil) == isThere)
    }
}
