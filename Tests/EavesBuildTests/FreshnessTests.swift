// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
@testable import EavesCompiler
import EavesJSON
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesBuild

/// Changes that make a module stale. The compiler is a stand-in that counts its calls.
@Suite(.patiently) struct FreshnessTests {
    /// A module that is built. By their times, its sources were changed long ago.
    private func built() throws -> (PluginFixture, CompilerFixture, BuildRequest) {
        let (plugins, compiler, request) = try PluginFixture.hello(host: HostFixture.copy())
        try plugins.scratch.write("// more\n", to: "Plugins/Hello/Deep/More.swift")
        try plugins.age(request.folder)
        #expect(plugins.builder.freshness(of: request) == .missing)
        #expect(plugins.builder.build([request])[0].error == nil)
        #expect(plugins.builder.freshness(of: request) == .fresh)
        #expect(compiler.runs == 1)
        return (plugins, compiler, request)
    }

    @Test("nothing is run for a module that is fresh")
    func fresh() throws {
        let (fixture, compiler, request) = try built()
        var plugins = fixture
        plugins.builder.toolchain = .failure(BuildError("eaves", .noCompiler(named: nil)))
        plugins.builder.sdk = .failure(BuildError("eaves", .noSDK(searched: [])))
        #expect(plugins.builder.isFresh(request))
        #expect(plugins.isUpToDate(request))
        #expect(compiler.runs == 1)
    }

    @Test(
        "a change of anything it was built from makes it stale",
        arguments: [
            "echo '// x' >> Plugins/Hello/Hello.swift",
            "echo '// x' >> Plugins/Hello/Deep/More.swift",
            "echo '// x' > Plugins/Hello/New.swift",
            "echo '// x' > Plugins/Hello/Deep/New.swift",
            "rm Plugins/Hello/Deep/More.swift",
            "mv Plugins/Hello/Deep/More.swift Plugins/Hello/Deep/Less.swift",
            "sed -i s/1.0.0/1.0.1/ Plugins/Hello/module.json",
            // The size and the time are the same again.
            "cp -p Plugins/Hello/Deep/More.swift x; echo '// mire' > Plugins/Hello/Deep/More.swift;"
                + " touch -r x Plugins/Hello/Deep/More.swift",
            "echo 'public let x: Int' >> $INTERFACE",
            "echo '/* x */' >> $HEADER",
            "sed -i 's/(swift/(other/' $INFO; touch $SWIFTC",
        ])
    func changes(script: String) throws {
        let (plugins, compiler, request) = try built()
        try plugins.run(script, compiler)
        #expect(plugins.builder.freshness(of: request) == .stale)
        #expect(plugins.builder.build([request])[0].error == nil)
        #expect(compiler.runs == 2)
    }

    @Test("a variable by which the compiler finds headers is an input, and others are none")
    func environment() throws {
        let (plugins, compiler, request) = try built()
        func builder(_ name: String, _ value: String?) -> Builder {
            var environment = compiler.environment
            environment[name] = value
            return Builder(forHost: plugins.host.executable, environment: environment)
        }
        #expect(builder("CPATH", "").freshness(of: request) == .fresh)
        #expect(builder("EDITOR", "vi").freshness(of: request) == .fresh)
        let finding = builder("CPATH", "/opt/include")
        #expect(finding.freshness(of: request) == .stale)
        #expect(finding.build([request])[0].error == nil)
        #expect(compiler.runs == 2)
        #expect(finding.freshness(of: request) == .fresh)
        #expect(builder("CPATH", "/opt/other").freshness(of: request) == .stale)
        #expect(plugins.builder.freshness(of: request) == .stale)
    }

    @Test(
        "a touch without a change, and changes that do not matter, leave it fresh",
        arguments: [
            "touch Plugins/Hello/Hello.swift",
            "cp -r Plugins/Hello x; rm -r Plugins/Hello; mv x Plugins/Hello",
            "sed -i 's|^// swift-module-flags:.*|// swift-module-flags: -O|' $INTERFACE",
            "touch $INTERFACE $HEADER",
            "cp Plugins/hello.so x; mv x Plugins/hello.so",
            "touch Plugins/hello.so; chmod 700 Plugins/hello.so",
        ])
    func touches(script: String) throws {
        let (plugins, compiler, request) = try built()
        let record = RecordPlace(of: request.output)
        let before = try #require(record.record)
        try plugins.run(script, compiler)
        #expect(plugins.builder.freshness(of: request) == .fresh)
        // The next look needs file statuses alone.
        let after = try #require(record.record)
        #expect(after != before)
        #expect(after.output.identity == BuildIdentity(path: request.output))
        #expect(plugins.isUpToDate(request))
        #expect(compiler.runs == 1)
    }

    @Test("a compiler that changed and describes itself as before costs no compilation")
    func sameCompiler() throws {
        let (plugins, compiler, request) = try built()
        try plugins.run("touch $SWIFTC", compiler)
        #expect(plugins.builder.freshness(of: request) == .stale)
        #expect(plugins.isUpToDate(request))
        #expect(plugins.builder.freshness(of: request) == .fresh)
        #expect(compiler.runs == 1)
    }

    @Test(
        "files that are not inputs do not count",
        arguments: [
            "echo x > Plugins/Hello/README.md",
            "echo x > Plugins/Hello/.hidden.swift",
            "mkdir Plugins/Hello/.build; echo x > Plugins/Hello/.build/A.swift",
            "mkdir Plugins/Hello/Own; cd Plugins/Hello/Own; echo x | tee A.c Cargo.toml",
            "mkdir Plugins/Hello/Own; cd Plugins/Hello/Own; echo x | tee A.swift module.json",
            "ln -s . Plugins/Hello/Loop",
        ])
    func noInputs(script: String) throws {
        let (plugins, compiler, request) = try built()
        try plugins.run(script, compiler)
        #expect(plugins.builder.isFresh(request))
    }

    @Test(
        "a file that the builder did not write is foreign, and an explicit build replaces it",
        arguments: [
            ("echo text > Plugins/hello.so", Freshness.Origin.changed),
            ("cp Plugins/Hello/Hello.swift x; mv x Plugins/hello.so", .changed),
            // Neither the size nor the time tells of this one.
            (
                "cp -p Plugins/hello.so x; touch -r Plugins/hello.so y;"
                    + " printf x | dd of=Plugins/hello.so bs=1 seek=999 conv=notrunc 2>/dev/null;"
                    + " touch -r y Plugins/hello.so", .changed
            ),
            ("rm -r Plugins/.eaves-records", .unknown),
        ])
    func foreign(script: String, origin: Freshness.Origin) throws {
        let (plugins, compiler, request) = try built()
        try plugins.run(script, compiler)
        #expect(plugins.builder.freshness(of: request) == .foreign(origin))
        #expect(plugins.builder.build([request])[0].error == nil)
        #expect(compiler.runs == 2)
        #expect(plugins.builder.isFresh(request))
    }

    @Test("a record says nothing of a file in another place, even of the same file")
    func otherPlace() throws {
        let (plugins, _, request) = try built()
        var moved = request
        moved.output = plugins.scratch.file("Plugins/moved.so")
        try Files.rename(request.output, to: moved.output)
        #expect(plugins.builder.freshness(of: moved) == .foreign(.unknown))
    }

    @Test("the times of a source are not trusted if it could change again without them")
    func unsettled() throws {
        let plugins = try PluginFixture()
        let request = try plugins.add("Hello")
        try plugins.age(request.folder)
        let sources = try SourceFiles(request.folder)
        let changed = try sources.files.map {
            try FileStatus(path: Path.join(request.folder, $0.name)).changed
        }
        // The content changed an hour ago, says the time that programs can set; the other one disagrees.
        let early = sources.settled(at: try #require(changed.min()) + 10_000_000)
        #expect(early.allSatisfy { $0.identity == BuildIdentity(FileIdentity.none) })
        let late = sources.settled(at: try #require(changed.max()) + 30_000_000)
        #expect(late == sources.files)
    }

    @Test("a source that was rewritten within one tick, with its time put back, is looked into")
    func oneTick() throws {
        let (plugins, compiler, request) = try built()
        let place = RecordPlace(of: request.output)
        let path = Path.join(request.folder, "Deep/More.swift")
        // The record as a build writes it that reads the sources in the tick of their last change.
        var record = try #require(place.record)
        record.files = try SourceFiles(request.folder).settled(
            at: FileStatus(path: path).changed + 10_000_000)
        try plugins.scratch.write(
            record.json.text(pretty: true), to: "Plugins/.eaves-records/hello.so.json")
        #expect(plugins.builder.freshness(of: request) == .fresh)
        try plugins.scratch.write(
            record.json.text(pretty: true), to: "Plugins/.eaves-records/hello.so.json")
        try plugins.run(
            "cp -p \(path) x; echo '// mire' > \(path); touch -r x \(path)", compiler)
        #expect(plugins.builder.freshness(of: request) == .stale)
        #expect(plugins.builder.build([request])[0].error == nil)
        #expect(compiler.runs == 2)
    }

    @Test("a source that is found unchanged is looked into again while its times prove nothing")
    func confirmed() throws {
        let (plugins, compiler, request) = try built()
        // A time that is still to come proves nothing for as long as this test runs.
        try plugins.run("touch -d 2100-01-01 Plugins/Hello/Deep/More.swift", compiler)
        #expect(plugins.builder.freshness(of: request) == .fresh)
        let record = try #require(RecordPlace(of: request.output).record)
        let file = try #require(record.files.first { $0.name == "Deep/More.swift" })
        #expect(file.identity == BuildIdentity(FileIdentity.none))
        #expect(plugins.builder.freshness(of: request) == .fresh)
        #expect(compiler.runs == 1)
    }

    @Test("a file is the same on a file system that was mounted again")
    func identity() {
        let time: Int64 = 1_700_000_000_123_456_789
        let status = FileStatus(
            kind: .file, device: 1, inode: 2, size: 3, modified: time, changed: time, owner: 0,
            group: 0, mode: 0o644)
        func identity(_ change: (inout FileStatus) -> Void) -> BuildIdentity {
            var status = status
            change(&status)
            return BuildIdentity(status)
        }
        let original = BuildIdentity(status)
        #expect(identity { $0.device = 9 } == original)
        #expect(identity { $0.changed += 1 } != original)
        #expect(identity { $0.inode = 9 } != original)
        #expect(identity { $0.size = 9 } != original)
        #expect(identity { $0.modified += 1 } != original)
        #expect(original.settled(at: time + 30_000_000) == original)
        let late = identity { $0.changed += 1 << 60 }
        #expect(late.settled(at: time + 30_000_000) == BuildIdentity(FileIdentity.none))
        #expect(original.settled(at: time + 10_000_000) != original)
        #expect(original.settled(at: time + 10_000_000) == BuildIdentity(FileIdentity.none))
    }

    @Test(
        "a record that is damaged makes it stale, whatever the damage",
        arguments: [
            "", "{}", "[", #"{"record":2}"#, #"{"record":3}"#, "\0\0\0", "DIRECTORY", "HALF",
        ])
    func damagedRecord(damage: String) throws {
        let (plugins, compiler, request) = try built()
        let path = "Plugins/.eaves-records/hello.so.json"
        switch damage {
        case "DIRECTORY":
            try Files.remove(plugins.scratch.file(path))
            try Files.createFolder(plugins.scratch.file(path))
        case "HALF":
            let text = try plugins.scratch.read(path)
            try plugins.scratch.write(String(text.prefix(text.count / 2)), to: path)
        default: try plugins.scratch.write(damage, to: path)
        }
        #expect(plugins.builder.freshness(of: request) == .stale)
        let result = plugins.builder.build([request])[0]
        #expect(result.error == nil)
        // A folder in the place of the record cannot be replaced, which is a warning.
        #expect(result.warnings.isEmpty == (damage != "DIRECTORY"))
        #expect(compiler.runs == 2)
    }

    @Test("sources that change while they are compiled are compiled anew")
    func changesMeanwhile() throws {
        let (plugins, compiler, request) = try PluginFixture.hello(
            by: "test -e $PLUGIN/B.swift || echo '// b' > $PLUGIN/B.swift; give")
        #expect(plugins.builder.build([request])[0].error == nil)
        #expect(compiler.runs == 2)
        #expect(try compiler.arguments.last?.hasSuffix("Hello.swift") == true)
        #expect(try compiler.arguments.contains { $0.hasSuffix("/B.swift") })
    }

    @Test("a source that changes meanwhile and keeps its time and size is compiled anew")
    func changesWithinTick() throws {
        let (plugins, compiler, request) = try PluginFixture.hello(
            by: """
                test $(ls $(dirname $0)/runs | wc -l) = 2 && give && exit
                cp -p $PLUGIN/Hello.swift $TMPDIR/times
                printf x | dd of=$PLUGIN/Hello.swift bs=1 seek=3 conv=notrunc 2>/dev/null
                touch -r $TMPDIR/times $PLUGIN/Hello.swift
                give
                """)
        try plugins.scratch.write("// ????\n", to: "Plugins/Hello/Hello.swift")
        var started = 0
        let results = plugins.builder.build([request]) { event in
            if case .compiling = event { started += 1 }
        }
        #expect(results[0].error == nil)
        #expect(compiler.runs == 2)
        #expect(started == 1)
    }

    @Test("sources that never stop changing are an error, not a loop")
    func unsteady() throws {
        let (plugins, compiler, request) = try PluginFixture.hello(
            by: "echo '// x' >> $PLUGIN/Hello.swift; give")
        let error = plugins.builder.build([request])[0].error
        #expect(error == BuildError("hello", .unsteady(file: "Plugins/Hello/Hello.swift")))
        #expect(compiler.runs == 3)
        #expect(try plugins.names() == ["Hello"])
    }
}
