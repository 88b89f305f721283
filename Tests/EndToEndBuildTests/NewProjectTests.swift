// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("a new project", .onOwnThreads, .patiently)
struct NewProjectTests {
    @Test("leads to the output of one's own module in three commands")
    func begins() throws {
        let eaves = try Eaves.emptyFolder()
        let begun = try eaves("init")
        begun.expectSuccess()
        #expect(
            begun.errors == """
                wrote manifest.json
                wrote Package.swift
                wrote .gitignore
                make a module with 'eaves new feature hello'

                """)
        #expect(begun.output.isEmpty)
        let made = try eaves("new", "feature", "hello")
        made.expectSuccess()
        #expect(
            made.errors == """
                wrote Plugins/Hello/module.json
                wrote Plugins/Hello/HelloFeature.swift
                wrote Plugins/Hello/HelloModule.swift
                wrote Plugins/Hello/Tests/HelloTests.swift
                added it to Package.swift
                run it with 'eaves launch hello'

                """)
        #expect(try eaves("launch", "hello").output == "Hello, world!\n")
        #expect(try eaves("launch", "hello", "Anna").output == "Hello, Anna!\n")
    }

    @Test("can be in another folder, which is made")
    func elsewhere() throws {
        let eaves = try Eaves.emptyFolder()
        let begun = try eaves("init", "apps/demo")
        begun.expectSuccess()
        #expect(begun.errors.contains("wrote apps/demo/manifest.json\n"))
        #expect(begun.errors.contains("'cd apps/demo && eaves new feature hello'"))
        try eaves("list", "--manifest", "apps/demo").expectSuccess()
    }

    @Test("keeps what is there, and begins once")
    func keeps() throws {
        let eaves = try Eaves.emptyFolder()
        try eaves.write("// mine", to: "Package.swift")
        try eaves.write("*.o\n*.so", to: ".gitignore")
        let begun = try eaves("init")
        begun.expectSuccess()
        #expect(!begun.errors.contains("Package.swift"))
        #expect(try eaves.text("Package.swift") == "// mine")
        let ignored = "*.o\n*.so\n.build/\n.eaves/\n.clangd\n.sourcekit-lsp/\n"
        #expect(try eaves.text(".gitignore") == ignored)

        let manifest = try eaves.text("manifest.json")
        try eaves("init").expectFailure(
            73,
            """
            error: there is a project already: \(eaves.folder.path)/manifest.json
            fix: make a module with 'eaves new feature NAME'
            """)
        #expect(try eaves.text("manifest.json") == manifest)
        #expect(try eaves.text(".gitignore") == ignored)
    }

    @Test("stays one that SwiftPM builds when folders come and go, and names none of this machine")
    func edited() throws {
        let eaves = try Eaves.project()
        for name in ["hello", "other"] { try eaves("new", "feature", name).expectSuccess() }
        try eaves("new", "interface", "shared", "--package").expectSuccess()
        func targets() throws -> Set<String> {
            let told = try Eaves.shell("swift package describe --type json", in: eaves.folder)
            #expect(told.code == 0, "\(told)")
            let package = try JSONSerialization.jsonObject(with: Data(told.output.utf8))
            let targets = (package as? [String: Any])?["targets"] as? [[String: Any]]
            return Set((targets ?? []).compactMap { $0["name"] as? String })
        }
        #expect(try targets() == ["Hello", "HelloTests", "Other", "OtherTests", "SharedTests"])
        try eaves.write("", to: "Plugins/notes.txt")
        let files = FileManager.default
        try files.removeItem(at: eaves.path("Plugins/Other/Tests"))
        try files.moveItem(at: eaves.path("Plugins/Hello"), to: eaves.path("Plugins/Greeter"))
        let built = try eaves("build", "other")
        built.expectSuccess()
        #expect(
            built.errors.contains("took Plugins/Hello out of Package.swift: it is gone"), "\(built)"
        )
        #expect(try targets() == ["Other", "SharedTests"])
        let text = try eaves.text("Package.swift")
        try eaves.write(text.replacing("/Other", with: "/Greeter"), to: "Package.swift")
        #expect(try targets() == ["Greeter", "SharedTests"])

        // A clone has what is committed.
        #expect(!text.contains(Repository.path) && !text.contains(eaves.folder.path))
        let link = eaves.path(".eaves/Eaves").path
        let place = try files.destinationOfSymbolicLink(atPath: link)
        #expect(files.fileExists(atPath: place + "/Sources/Contract/CEaves"))
        try files.removeItem(atPath: link)
        try eaves("build", "other").expectSuccess()
        #expect(try files.destinationOfSymbolicLink(atPath: link) == place)
    }

    @Test("is found by its folder, and by the variable EAVES_MANIFEST")
    func named() throws {
        let eaves = try Eaves.project()
        let elsewhere = try Eaves.emptyFolder()
        let folder = eaves.folder.path
        for path in [folder, folder + "/manifest.json"] {
            try elsewhere("list", "--manifest", path).expectSuccess()
            try elsewhere("list", environment: ["EAVES_MANIFEST": path]).expectSuccess()
        }
        // The option counts more than the variable, and the variable more than the nearest manifest.
        try elsewhere("list", "--manifest", folder, environment: ["EAVES_MANIFEST": "/none"])
            .expectSuccess()
        let wrong = try eaves("list", environment: ["EAVES_MANIFEST": "/none"])
        #expect(wrong.code == 66, "\(wrong)")
        try eaves("list", environment: ["EAVES_MANIFEST": ""]).expectSuccess()
        // A file is not inspected without the manifest that a person has named.
        let inspected = try eaves(
            "inspect", "./none.so", environment: ["EAVES_MANIFEST": "/none"])
        #expect(inspected.errors.contains("/none: no such manifest"), "\(inspected)")
    }
}
