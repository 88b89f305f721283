// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import Testing

@testable import EavesCLI
@testable import EavesOutput

@Suite("tables in a window")
struct FittedTableTests {
    private func table(_ rows: [String]...) -> Table {
        var table = Table([
            Table.Column(heading: "NAME"),
            Table.Column(heading: "STATE") { $0 == "bad" ? "31" : nil },
            Table.Column(heading: "WHAT", fit: .isCut), Table.Column(heading: "WHY", fit: .isCut),
            Table.Column(heading: "FILE", fit: .isLeftOut),
        ])
        table.rows = rows
        return table
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
