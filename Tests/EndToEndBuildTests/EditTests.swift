// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("after an edit, launch runs the new code or says why not", .onOwnThreads)
struct EditTests {
    /// A project with the folder `Plugins/Greet`, whose feature prints a text, and which is built.
    private struct Project {
        let workspace: Workspace

        /// The project whose copies the tests change.
        static let built = Result { try Project(in: "Plugins/Greet") }

        init() throws {
            workspace = try Workspace(copying: Self.built.get().workspace.url.path)
        }

        init(in folder: String, output: String? = nil) throws {
            workspace = try Workspace(modules: [])
            try workspace.manifest(#"{ "manifest": 1, "launch": "greet" }"#)
            try write("module.json", in: folder, Project.declaration)
            try greet("one", in: folder)
            let outcome = try build(["./\(folder)"] + (output.map { ["-o", $0] } ?? []))
            #expect(outcome.code == 0, "\(outcome)")
            try expectLaunch("one\n")
        }

        static let declaration = """
            {
              "id": "greet", "version": "1.0.0", "layer": "feature",
              "features": [{ "name": "greet" }]
            }
            """

        func write(_ name: String, in folder: String = "Plugins/Greet", _ text: String) throws {
            try workspace.folder.write(text, to: "\(folder)/\(name)")
        }

        /// Edits the source.
        ///
        /// - Parameter creation: Code that runs when the feature is created.
        func greet(
            _ text: String, in folder: String = "Plugins/Greet", creation: String = ""
        ) throws {
            try write(
                "GreetModule.swift", in: folder,
                """
                import EavesInterface

                enum GreetModule: Module {
                    static func register(in registrar: any Registrar) {
                        registrar.registerFeature("greet") { _ in
                            \(creation)
                            return Greeting()
                        }
                    }
                }

                struct Greeting: Feature {
                    func launch(_ launch: Launch) async throws -> ExitCode {
                        try launch.console.print("\(text)")
                        return .success
                    }
                }

                """)
        }

        func build(_ words: [String] = []) throws -> Eaves.Outcome {
            try workspace.eaves(["build"] + words)
        }

        @discardableResult
        func expectLaunch(
            _ output: String, environment: [String: String] = [:],
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws -> Eaves.Outcome {
            let outcome = try workspace.eaves("launch", environment: environment)
            #expect(outcome.output == output, "\(outcome)", sourceLocation: sourceLocation)
            #expect(outcome.code == 0, "\(outcome)", sourceLocation: sourceLocation)
            return outcome
        }

        func shell(_ line: String) throws {
            let outcome = try Eaves.shell("set -e; \(line)", in: workspace.url)
            #expect(outcome.code == 0, "\(outcome)")
        }
    }

    @Test(
        "whatever happened to the project, the store, and other files of the module",
        arguments: [
            "rm -rf .eaves",
            "mkdir out; eaves build greet -o out/other.so; rm -r out",
            "eaves build greet -o .; rm -r greet.so .eaves-records",
            "mkdir far; cp -r Plugins/Greet far; eaves build ./far/Greet; rm -r far",
            "mv Plugins/Greet Plugins/Hello; sed -i s/GreetModule/HelloModule/ Plugins/Hello/*.swift;"
                + " eaves launch; ln -s Hello Plugins/Greet; rm Plugins/Greet; mv Plugins/Hello"
                + " Plugins/Greet",
        ])
    func edit(script: String) throws {
        let project = try Project()
        try project.shell(script)
        try project.greet("two")
        let outcome = try project.expectLaunch("two\n")
        #expect(outcome.errors.hasPrefix("built greet in "), "\(outcome)")
        #expect(try project.expectLaunch("two\n").errors == "")
    }

    @Test("also if the folder is not next to the file that was built from it")
    func elsewhere() throws {
        let project = try Project(in: "Greet", output: "Plugins/")
        try project.greet("two", in: "Greet")
        #expect(try project.expectLaunch("two\n").errors.hasPrefix("built greet in "))
        try project.greet("three", in: "Greet")
        #expect(try project.build().errors.hasPrefix("built greet in "))
        #expect(try project.expectLaunch("three\n").errors == "")
        // The sources need not stay.
        try project.shell("rm -r Greet")
        #expect(try project.expectLaunch("three\n").errors == "")
    }

    @Test("without a compiler, it runs the good file that is there, and warns")
    func noCompiler() throws {
        let project = try Project()
        try project.greet("two")
        let environment = ["EAVES_SWIFTC": "/no/such/swiftc"]
        let outcome = try project.expectLaunch("one\n", environment: environment)
        #expect(
            outcome.errors == """
                warning: greet: using Plugins/greet.so as it is, although Plugins/Greet may have \
                changed since: no Swift compiler: EAVES_SWIFTC is '/no/such/swiftc', not a program
                fix: set EAVES_SWIFTC to the path of swiftc, or unset it

                """)
        try project.shell("rm Plugins/greet.so")
        let missing = try project.workspace.eaves("launch", environment: environment)
        #expect(missing.code == 66)
        #expect(missing.errors.hasPrefix("error: greet: no Swift compiler"), "\(missing)")
    }

    @Test("a module.json that is wrong stops it, with the place")
    func brokenDeclaration() throws {
        let message = "Plugins/Greet/module.json:2:38: unknown key 'layr'"
        let project = try Project()
        try project.write(
            "module.json",
            Project.declaration.replacingOccurrences(of: "layer", with: "layr"))
        for words in [["launch"], ["build"], ["build", "greet"]] {
            let outcome = try project.workspace.eaves(words)
            #expect(outcome.code == 65, "\(words) \(outcome)")
            #expect(outcome.errors.contains(message), "\(words) \(outcome)")
            #expect(outcome.output == "")
        }
        let old = try project.workspace.eaves("launch", "--no-build")
        #expect(old.output == "one\n", "\(old)")
    }

    @Test("a folder that holds another module by now is named")
    func otherModule() throws {
        let project = try Project()
        try project.write(
            "module.json",
            Project.declaration.replacingOccurrences(of: "greet\", \"v", with: "hello\", \"v")
                .replacingOccurrences(of: "\"name\": \"greet\"", with: "\"name\": \"hello\""))
        let outcome = try project.expectLaunch("one\n")
        #expect(
            outcome.errors.contains(
                "greet: using Plugins/greet.so as it is, although Plugins/Greet may have changed "
                    + "since: its module.json is that of the module 'hello'"), "\(outcome)")
    }

    @Test("a folder that has no module.json any more is named")
    func noDeclaration() throws {
        let project = try Project()
        try project.shell("rm Plugins/Greet/module.json")
        let outcome = try project.expectLaunch("one\n")
        #expect(
            outcome.errors.hasPrefix(
                "warning: greet: using Plugins/greet.so as it is, although Plugins/Greet may have "
                    + "changed since: the folder has no module.json\n"), "\(outcome)")
        #expect(try project.build().errors.hasPrefix("error: greet: the folder has no module.json"))
    }

    @Test("a mended module in quarantine is built and let in again")
    func quarantine() throws {
        let project = try Project()
        try project.greet("two", creation: "fatalError()")
        #expect(try project.build().code == 0)
        let crash = try project.workspace.eaves(
            "verify", "greet", environment: ["SWIFT_BACKTRACE": "enable=no"])
        #expect(crash.errors.contains("quarantined greet"), "\(crash)")
        let out = try project.workspace.eaves("launch")
        #expect(out.code == 70, "\(out)")
        try project.greet("three")
        let outcome = try project.expectLaunch("three\n")
        #expect(outcome.errors.hasPrefix("built greet in "), "\(outcome)")
    }

    @Test("validate says that it has not compiled the sources")
    func validate() throws {
        let project = try Project()
        #expect(try project.workspace.eaves("validate").output == "no problems\n")
        try project.write("Broken.swift", "let number: Int = \"one\"\n")
        let outcome = try project.workspace.eaves("validate")
        #expect(outcome.output == "no problems in what the modules declare\n")
        #expect(
            outcome.errors == """
                warning: greet: its file is not built from its sources as they are now, and \
                'validate' does not compile them
                fix: run 'eaves build', or check with 'eaves validate --load'

                """)
        #expect(outcome.code == 0)
        let loaded = try project.workspace.eaves("validate", "--load")
        #expect(loaded.code == 65)
        #expect(loaded.errors.contains("error: greet: does not compile"))
    }

    @Test("build names the folders that it does not look into")
    func hint() throws {
        let project = try Project()
        try project.write("module.json", in: "Weather", "{}")
        let line =
            "Weather is in none of the manifest's directories: build it with 'eaves build ./Weather'\n"
        #expect(try project.build().errors == line)
        try project.shell("rm -r Plugins")
        #expect(try project.build().errors == "there is nothing to build\n" + line)
        try project.shell("rm manifest.json")
        let outcome = try project.build()
        #expect(outcome.code == 66)
        #expect(
            outcome.errors.hasSuffix(
                "fix: name the folder to build, as in 'eaves build ./Weather', or begin a project here with "
                    + "'eaves init'\n"))
    }
}
