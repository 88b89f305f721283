// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("eaves graph and eaves audit", .onOwnThreads)
struct GraphTests {
    /// The path of folders in which there is no graphviz, with the same programs otherwise.
    private static let pathWithoutDot = "/nowhere"

    @Test("draws the shipped modules in each format, to standard output and to a file")
    func formats() throws {
        let workspace = try Workspace()
        let eaves = workspace.eaves
        let dot = try eaves("graph")
        #expect(dot.code == 0 && dot.errors.isEmpty, "\(dot)")
        #expect(
            dot.lines.contains(
                #"  "module users" -> "module users-memory" [label="UserService", style=solid, arrowhead=normal];"#
            ))
        #expect(!dot.output.contains("service ") && !dot.output.contains("interface "))
        let mermaid = try eaves("graph", "--format", "mermaid")
        #expect(mermaid.output.hasPrefix("flowchart TB\n"))
        #expect(
            mermaid.output.contains(#"module_users -->|"UserService"| module_users_2dmemory"#))
        let whole = try eaves("graph", "--format", "mermaid", "--show", "all")
        #expect(whole.output.hasPrefix("flowchart LR\n"))
        #expect(
            whole.output.contains(
                #"-.->|"provides, unbound"| service_CommonInterface_2eUserService"#))
        // Programs get all of it.
        let json = try eaves("graph", "--format=json")
        try OutputSchema.read(json.output, as: "graph")
        #expect(try eaves("graph", "--format=json", "--show=all").output == json.output)
        let small = try eaves("graph", "--format=json", "--show=implementations")
        try OutputSchema.read(small.output, as: "graph")
        #expect(small.output.contains(#""state": "unbound""#))
        for (name, text) in [("a.dot", dot), ("a.mmd", mermaid), ("a.json", json)] {
            let outcome = try eaves("graph", "-o", name)
            #expect(outcome.code == 0 && outcome.output.isEmpty, "\(outcome)")
            #expect(try workspace.folder.read(name) == text.output)
        }
        try eaves("graph", "--format", "png").expectFailure(
            64,
            """
            error: there is no format 'png'
            fix: choose one of dot, mermaid, svg, html, json
            """)
        try eaves("graph", "--show", "features,rutes").expectFailure(
            64,
            """
            error: there is no part 'rutes', did you mean 'routes'?
            fix: choose one of features, implementations, interfaces, routes, services, all
            """)
        try eaves("graph", "--depth=-1").expectFailure(
            64,
            """
            error: option '--depth' expects a number of lines, found '-1'
            fix: give a number, as in '--depth 2'
            """)
        let focus = try eaves("graph", "--focus", "users")
        #expect(focus.output.contains("users-memory") && !focus.output.contains("login"))
        try eaves("graph", "--focus", "userz").expectFailure(
            66,
            """
            error: there is no module 'userz', did you mean 'users'?
            fix: see all modules with 'eaves list'
            """)
        // Other modules are drawn, too, whatever is wrong with them.
        try workspace.drop(Data("no module".utf8), as: "text.so")
        #expect(
            try eaves("graph").output.contains(
                ##"[label="text\n(invalid)", shape=box, style="filled,rounded,dashed", fillcolor="#fde2e1""##
            ))
    }

    @Test(
        "makes a page for a browser: pan, search, what is known of a module, dark and light, by keyboard",
        .enabled(if: Browser.isPossible, "needs chromium and chromium-driver"), .patiently)
    func page() throws {
        let found = try Eaves.shell("command -v dot", in: FileManager.default.temporaryDirectory)
        if found.code != 0 { try Test.cancel("needs graphviz's 'dot'") }
        let workspace = try Workspace()
        #expect(try workspace.eaves("graph", "-o", "modules.html").code == 0)
        let text = try workspace.folder.read("modules.html")
        // The two names of SVG are no addresses that a browser asks.
        #expect(
            text.matches(of: /https?:\/\/[^"]*/).allSatisfy {
                $0.output.hasPrefix("http://www.w3.org/")
            })
        #expect(!text.contains("src=") && !text.contains("<link") && !text.contains("@import"))
        let browser = try Browser(width: 1280, height: 800)
        try browser.open(workspace.url.appendingPathComponent("modules.html").absoluteString)
        func value(_ expression: String) throws -> String { "\(try browser.value(expression))" }
        let view = "document.querySelector('main svg').getAttribute('viewBox')"
        func numbers(_ text: String) -> [Double] {
            text.split(separator: " ").compactMap { Double($0) }
        }
        let selected =
            "[...document.querySelectorAll('.node.selected title')].map(e => e.textContent).join()"
        // All names can be read at once: they are inside of the window, and at least ten pixels high.
        let names =
            "[...document.querySelectorAll('.node text')].map(e => e.getBoundingClientRect())"
        #expect(
            try value(
                "\(names).every(r => r.height >= 10 && r.left >= 0 && r.right <= innerWidth && r.bottom <= innerHeight)"
            ) == "1")
        let whole = try value(view)
        // Search and choose by keyboard.
        try browser.press("/login\u{E007}")
        #expect(try value("document.getElementById('count').textContent") == "1 found")
        #expect(try value(selected) == "module login")
        #expect(try value("document.querySelector('aside h1').textContent") == "module login")
        let details = try value("document.querySelector('aside pre').textContent")
        #expect(details == (try workspace.eaves("inspect", "login").output))
        #expect(try value("document.querySelector('aside dl').textContent").contains("UserService"))
        try browser.press("\u{E00C}")
        #expect(try value("document.getElementById('details').hidden") == "1")
        #expect(try value(selected) == "")
        // A click on a module chooses it, and a link leads on.
        try browser.element("#node1").click()
        #expect(try value(selected) == "module analytics")
        try browser.element("aside a").click()
        #expect(try value(selected) == "module login")
        try browser.press("\u{E00C}")
        // Move and zoom.
        try browser.press("+\u{E014}")
        #expect(try value(view) != whole)
        try browser.press("0")
        #expect(try numbers(value(view)) == numbers(whole))
        // Dark and light.
        let color = "getComputedStyle(document.body).backgroundColor"
        let light = try value(color)
        try browser.press("d")
        let dark = try value(color)
        #expect(dark != light)
        try browser.press("d")
        #expect(try value(color) == light)
        try browser.darken()
        try browser.open(workspace.url.appendingPathComponent("modules.html").absoluteString)
        #expect(try value(color) == dark)
        try browser.picture("graph-dark")
    }

    @Test(
        "prints the text for graphviz where that is not installed, and no text into a picture's file"
    )
    func withoutGraphviz() throws {
        let workspace = try Workspace()
        let environment = ["PATH": Self.pathWithoutDot]
        let message = """
            error: there is no 'dot' on PATH, which makes pictures in SVG
            fix: install graphviz (on Debian: apt-get install graphviz)
            """
        try workspace.eaves("graph", "--format", "svg", environment: environment)
            .expectFailure(66, message, output: workspace.eaves("graph").output)
        try workspace.eaves("graph", "-o", "whole.svg", environment: environment)
            .expectFailure(66, message)
        #expect(!workspace.folder.has("whole.svg"))
    }

    @Test("ends graphviz when it is ended itself")
    func interrupted() throws {
        let workspace = try Workspace(modules: [])
        try workspace.folder.write(
            // The program's parent is its keeper, and the keeper's is the command.
            "#!/bin/sh\necho $$ > process\nkill -INT $(cut -d ' ' -f 4 /proc/$PPID/stat)\n"
                + "sleep 600 &\nwait\n", to: "script")
        // Somebody else makes the program: one that this process writes may be too busy to be run.
        let made = try Eaves.shell(
            "mkdir tools; cp script tools/dot; chmod 755 tools/dot", in: workspace.url)
        #expect(made.code == 0)
        let path = workspace.url.appendingPathComponent("tools").path + ":/usr/bin:/bin"
        let outcome = try workspace.eaves("graph", "--format", "svg", environment: ["PATH": path])
        #expect(outcome.signal == SIGINT, "\(outcome)")
        let process = try #require(
            Int32(workspace.folder.read("process").trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(process, 0) == -1 && errno == ESRCH)
    }

    @Test("finds nothing dead in the shipped modules, and tells of the other implementation")
    func clean() throws {
        let workspace = try Workspace()
        let outcome = try workspace.eaves("audit", "--strict")
        #expect(outcome.code == 0 && outcome.lines.first == "nothing is dead", "\(outcome)")
        let json = try workspace.eaves("audit", "--json").output
        try OutputSchema.read(json, as: "audit")
        #expect(json.contains("users-v2 also provides UserService, which is bound to users-memory"))
    }
}
