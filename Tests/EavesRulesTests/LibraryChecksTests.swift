// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesRules

@Suite("the rules about libraries")
struct LibraryChecksTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func library(_ name: String, at place: String? = nil, options: [String] = []) throws
        -> String
    {
        let function = name.prefix { $0 != "." }.replacing("-", with: "_")
        return try folder.write(
            Binary(
                source: Binary.defining("\(function)_function"),
                options: ["-Wl,-soname,\(name)"] + options
            ).compiled(), to: place ?? name)
    }

    private func addModule(linkedTo files: [String], options: [String] = []) throws {
        try folder.add(.module(options: ["-Wl,--no-as-needed"] + files + options))
    }

    @Test("all missing ones are named, also those that a library needs")
    func missing() throws {
        let inner = try library("libinner.so")
        let outer = try library(
            "libouter.so", options: ["-Wl,--no-as-needed", inner])
        let ghost = try library("libghost.so")
        try addModule(
            linkedTo: [ghost, outer],
            options: ["-Wl,-rpath,\(folder.path)", "-Wl,--disable-new-dtags"])
        #expect(try folder.inspect().outcome("needed-libraries") == .kept)
        try Files.remove(inner)
        try Files.remove(ghost)
        let missing = [
            MissingLibrary(name: "libghost.so"),
            MissingLibrary(name: "libinner.so", neededBy: "libouter.so"),
        ]
        #expect(
            try folder.inspect().outcome("needed-libraries")
                == .broken(.missingLibraries(missing, beside: [])))
    }

    @Test("$ORIGIN leads to a library next to the private copies, not to one next to the module")
    func origin() throws {
        let library = try library("libfriend.so", at: "Plugins/libfriend.so")
        try addModule(linkedTo: [library], options: ["-Wl,-rpath,$ORIGIN"])
        #expect(
            try folder.inspect().outcome("needed-libraries")
                == .broken(
                    .missingLibraries(
                        [MissingLibrary(name: "libfriend.so")], beside: ["libfriend.so"])))
        try folder.write(Files.read(library), to: ".eaves/modules/libfriend.so")
        #expect(try folder.inspect().outcome("needed-libraries") == .kept)
        #expect(try folder.inspectCopy().outcome("needed-libraries") != .kept)
        try folder.write(Files.read(library), to: "copies/libfriend.so")
        #expect(try folder.inspectCopy().outcome("needed-libraries") == .kept)
    }

    @Test("those that the process has are there, and are no modules")
    func loaded() throws {
        try addModule(linkedTo: ["-lc"])
        for _ in 1...2 {
            #expect(try folder.inspect().outcome("needed-libraries") == .kept)
            #expect(try folder.inspect().outcome("module-links") == .kept)
        }
    }

    @Test("a missing one is missed, although the process has the others")
    func missingAmongLoaded() throws {
        try addModule(linkedTo: ["-lc"])
        #expect(try folder.inspect().outcome("needed-libraries") == .kept)
        let ghost = try library("libghost.so")
        try addModule(linkedTo: ["-lc", ghost])
        try Files.remove(ghost)
        #expect(
            try folder.inspect().outcome("needed-libraries")
                == .broken(
                    .missingLibraries([MissingLibrary(name: "libghost.so")], beside: [])))
    }

    @Test("a module among them is told by its file's name, by its soname, and by its note")
    func modules() throws {
        for (options, name) in [([], "other.so"), (["-Wl,-soname,libother.so.7"], "libother.so.7")]
        {
            let other = try folder.add(
                .module(.subject("other"), options: options), as: "other.so")
            let link = ["-L\(Path.parent(of: other))", "-l:other.so"]
            try addModule(linkedTo: link)
            let linked = RuleOutcome.broken(
                .linksModules([LinkedModule(library: name, module: "other")]))
            #expect(try folder.inspect().outcome("module-links") == linked)
            // It is not missed as a library, too.
            #expect(try folder.inspect().outcome("needed-libraries") == .kept)
        }
        let stranger = try folder.write(
            Binary.module(.subject("stranger"), options: ["-Wl,-soname,libstranger.so"]).compiled(),
            to: "elsewhere/libstranger.so")
        try addModule(
            linkedTo: [stranger], options: ["-Wl,-rpath,\(Path.parent(of: stranger))"])
        #expect(
            try folder.inspect().outcome("module-links")
                == .broken(
                    .linksModules([LinkedModule(library: "libstranger.so", module: "stranger")])))
    }

    @Test("a module behind a library counts as well")
    func behind() throws {
        let stranger = try folder.write(
            Binary.module(.subject("stranger"), options: ["-Wl,-soname,libstranger.so"]).compiled(),
            to: "libstranger.so")
        let outer = try library("libouter.so", options: ["-Wl,--no-as-needed", stranger])
        try addModule(
            linkedTo: [outer], options: ["-Wl,-rpath,\(folder.path)", "-Wl,--disable-new-dtags"])
        #expect(
            try folder.inspect().outcome("module-links")
                == .broken(
                    .linksModules([LinkedModule(library: "libstranger.so", module: "stranger")])))
    }
}
