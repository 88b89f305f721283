// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesELF
import EavesLoader
import EavesManifest
import EavesSystem
import EavesTestSupport
import EavesTrust
import Testing

@testable import EavesRules

@Suite("the rules about a file, its note, and its place in the manifest")
struct FileChecksTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("a binary for another class or byte order is readable, and is built for another machine")
    func otherMachines() throws {
        for (index, problem) in [(4, ELFError.wrongClass), (5, .wrongByteOrder)] {
            var bytes = try Binary.module().compiled()
            bytes[index] ^= 3
            try folder.write(bytes, to: "Plugins/subject.so")
            let module = try folder.inspect()
            #expect(try module.outcome("elf-readable") == .kept)
            #expect(try module.outcome("machine") == .broken(.catalog(.binary(problem))))
        }
    }

    @Test("a module that is not built yet says so, rather than that its file is missing")
    func notBuilt() throws {
        try folder.add(.module())
        let module = try folder.inspect { $0.problem = .notBuilt(folder: "Subject") }
        #expect(
            try module.outcome("elf-readable") == .broken(.catalog(.notBuilt(folder: "Subject"))))
    }

    @Test("a note of another package is none of ours")
    func otherNote() throws {
        try folder.add(Binary(note: #"{"type":"deb","name":"bash"}"#))
        let module = try folder.inspect()
        let problem = RuleOutcome.broken(.catalog(.note(.otherType("deb"))))
        #expect(try module.outcome("note-present") == problem)
    }

    @Test("a note for another host is as valid as any")
    func noteOfAnotherHost() throws {
        let version = InterfaceVersion(major: 9, minor: 0)
        try folder.add(.module(tag: BuildTag(abi: 7, interface: version, compiler: "5.0")))
        let module = try folder.inspect()
        #expect(try module.outcome("note-present") == .kept)
        #expect(try module.outcome("note-valid") == .kept)
        #expect(
            try module.outcome("abi-version")
                == .broken(.catalog(.incompatible(.abi(built: 7, host: 1)))))
        #expect(
            try module.outcome("interface-version")
                == .broken(
                    .catalog(
                        .incompatible(
                            .interface(built: version, host: HostProfile.sample.interface)))))
        #expect(
            try module.outcome("compiler")
                == .broken(
                    .catalog(.incompatible(.compiler(built: "5.0", host: "6.3", others: [])))))
    }

    @Test("a module in C has no version of the interface and no compiler to compare")
    func plainC() throws {
        try folder.add(.module(tag: BuildTag(abi: 1)))
        let module = try folder.inspect()
        #expect(try module.outcome("interface-version") == .skipped("it uses the C ABI alone"))
        #expect(try module.outcome("compiler") == .skipped("it was not built with Swift"))
    }

    @Test("a compiler that the manifest allows is taken")
    func allowedCompiler() throws {
        try folder.add(.module(tag: BuildTag(abi: 1, compiler: "6.2.4")))
        let module = try folder.inspect(manifest: #"{ "manifest": 1, "compilers": ["6.2"] }"#)
        #expect(try module.outcome("compiler") == .kept)
    }

    @Test("without a manifest there is nothing that could contradict it")
    func noManifest() throws {
        let entry = CatalogEntry(id: "a", path: "a.so", file: folder.file("a.so"))
        let module = InspectedModule(entry, among: nil, in: nil, host: .sample)
        #expect(try module.outcome("manifest-entry") == .skipped("there is no manifest"))
        #expect(try module.outcome("quarantine") == .skipped("there is no manifest"))
        #expect(try module.outcome("abi-version") == .skipped("its note does not say"))
        #expect(module.undeclaredServices == [])
        #expect(module.interfaceSymbols.isEmpty)
    }

    @Test("each problem that the manifest has with a module breaks one rule, and no other does")
    func manifestEntry() throws {
        try folder.add(.module())
        let own: [CatalogProblem] = [
            .duplicateID(used: "a.so"), .notBuilt(folder: "A"), .note(.absent),
        ]
        for problem in own {
            let module = try folder.inspect { $0.problem = problem }
            let isOwn = problem == .duplicateID(used: "a.so")
            #expect(
                try module.outcome("manifest-entry")
                    == (isOwn ? .broken(.catalog(problem)) : .kept))
            #expect(try module.outcome("permissions") == .kept)
            #expect(try module.outcome("quarantine") == .kept)
        }
    }

    @Test("the digest of the right bytes is taken, and one of others is named with what was found")
    func digest() throws {
        let file = try folder.add(.module())
        let right = try SHA256.digest(of: OpenFile(reading: file)).hex
        #expect(try folder.inspect { $0.sha256 = right }.outcome("digest") == .kept)
        let wrong = String(repeating: "0", count: 64)
        #expect(
            try folder.inspect { $0.sha256 = wrong }.outcome("digest")
                == .broken(.digest(expected: wrong, found: right)))
    }

    @Test("the digest of a file that is gone cannot be taken")
    func digestOfMissing() throws {
        let entry = {
            var entry = CatalogEntry(id: "a", path: "a.so", file: folder.file("a.so"))
            entry.sha256 = "00"
            return entry
        }()
        let module = InspectedModule(entry, among: nil, in: nil, host: .sample)
        guard case .broken(.catalog(.binary(.unreadable(let error)))) = try module.outcome("digest")
        else {
            Issue.record("\(try module.outcome("digest"))")
            return
        }
        #expect(error.path == entry.file)
    }

    @Test("the signature that the manifest requires stands next to the module's own file")
    func signature() throws {
        try folder.add(.module())
        try folder.write("alice ssh-ed25519 AAAA", to: "allowed_signers")
        let text = #"""
            { "manifest": 1, "signatures": "required", "allowedSigners": "allowed_signers" }
            """#
        let copy = try folder.inspectCopy(manifest: text)
        #expect(
            try copy.outcome("signature")
                == .broken(.signature(.missing(copy.entry.file + ".sig"))))
    }

    @Test("the version is that of the bytes that are loaded, not the one that the catalog read")
    func version() throws {
        let file = try folder.add(.module())
        let text = #"{ "manifest": 1, "modules": { "subject": { "leastVersion": "1.0.0" } } }"#
        let bytes = try Files.read(file)
        #expect(try folder.inspectCopy(manifest: text).outcome("version") == .kept)
        let older = bytes.replacing(Array("\"1.0.0\"".utf8), with: Array("\"0.9.0\"".utf8))
        #expect(
            try folder.inspectCopy(older, manifest: text).outcome("version")
                == .broken(
                    .version(.tooOld(found: ModuleVersion("0.9.0"), least: ModuleVersion("1.0.0"))))
        )
        let other = bytes.replacing(
            Array("\"subject\"".utf8), with: Array("\"another\"".utf8))
        #expect(
            try folder.inspectCopy(other, manifest: text).outcome("version")
                == .broken(.version(.unknown(module: "subject"))))
    }

    @Test("a pin holds at each load, while another process exchanges the file")
    func pinRace() throws {
        let file = try folder.add(.module())
        let good = try Files.read(file)
        // Bytes behind the end make another file of it, and no other module.
        let other = try folder.write(good + [0], to: "other")
        let pin = SHA256.digest(of: good).hex
        let manifest = try folder.manifest(
            #"{ "manifest": 1, "modules": { "subject": { "sha256": "\#(pin)" } } }"#)
        let catalog = Catalog(manifest: manifest, profile: .sample, table: nil)
        let entry = try #require(catalog.entry("subject"))
        /// Whether a launch would load what the name leads to now. It then has the bytes that are pinned.
        func isAdmitted() throws -> Bool {
            do {
                let copy = try ShadowCopy(in: manifest.store)
                    .make(of: entry.file, id: "subject", manifest.trust)
                try InspectedModule(
                    copy: copy.path, held: copy, of: entry, among: catalog, in: manifest,
                    host: .sample
                ).checkDemands()
                #expect(try SHA256.digest(of: copy.reopened()).hex == pin)
                return true
            } catch is BinaryError {
                return false
            } catch is ChangingFileError {
                return false
            }
        }
        // The exchange has a thread of its own: those of tasks may all be taken.
        let (begun, isOver, ended) = (Awaited<Bool>(), Awaited<Bool>(), Awaited<Bool>())
        defer { isOver.set(true) }
        try DetachedThread.start {
            repeat {
                begun.set(OtherUser.exchange(file, other))
            } while isOver.wait(within: .zero) == nil
            ended.set(true)
        }
        try #require(begun.wait(within: Patience.limit) == true)
        for _ in 0..<Soak.rounds(1_000) { _ = try isAdmitted() }
        isOver.set(true)
        try #require(ended.wait(within: Patience.limit) == true)
        if try Files.read(file) != good { #expect(OtherUser.exchange(file, other)) }
        #expect(try isAdmitted())
        #expect(OtherUser.exchange(file, other))
        #expect(try !isAdmitted())
    }
}
