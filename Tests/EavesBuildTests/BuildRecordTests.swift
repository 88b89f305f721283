// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
@testable import EavesCompiler
import EavesDiagnostics
import EavesJSON
import EavesSystem
import EavesTestSupport
import EavesTrust
import Testing

@testable import EavesBuild

/// What a record says after files and folders were moved, copied, renamed and built elsewhere. The
/// compiler is a stand-in that counts its calls.
@Suite(.patiently) struct BuildRecordTests {
    private struct Fixture {
        let compiler: CompilerFixture
        let plugins: PluginFixture
        let request: BuildRequest
        var builder: Builder { plugins.builder }

        /// A project `project` with the module `hello` in its folder `Plugins`, which is built.
        init() throws {
            (plugins, compiler, _) = try PluginFixture.hello()
            try plugins.run("mkdir project; mv Plugins project")
            request = Self.request(plugins.scratch.file("project"))
            try plugins.age(request.folder)
            try build(request)
        }

        static func request(_ project: String, folder: String = "Hello") -> BuildRequest {
            BuildRequest(
                id: "hello", folder: "\(project)/Plugins/\(folder)",
                output: "\(project)/Plugins/hello.so", base: project)
        }

        func request(in project: String, folder: String = "Hello") -> BuildRequest {
            Self.request(plugins.scratch.file(project), folder: folder)
        }

        func build(_ request: BuildRequest) throws {
            if let error = builder.build([request])[0].error { throw error }
        }

        /// Expects that the module is fresh, and not any more after an edit of its source.
        func expectEditIsSeen(
            _ request: BuildRequest, sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            #expect(builder.freshness(of: request) == .fresh, sourceLocation: sourceLocation)
            try plugins.run("echo '// x' >> '\(request.folder)/Hello.swift'")
            #expect(builder.freshness(of: request) == .stale, sourceLocation: sourceLocation)
            try build(request)
            #expect(builder.freshness(of: request) == .fresh, sourceLocation: sourceLocation)
        }
    }

    /// Scripts that move the project to `other`.
    @Test(
        "a record stays true when the project is moved, copied or reached through a link",
        arguments: [
            "mv project other", "cp -r project other", "cp -a project other",
            "ln -s project other", "mkdir -p deep/er; mv project deep/er/p; ln -s deep/er/p other",
            "mv project/Plugins p; ln -s ../p project/Plugins; mv project other",
            "mv project/Plugins/Hello h; ln -s ../../h project/Plugins/Hello; mv project other",
        ])
    func moved(script: String) throws {
        let fixture = try Fixture()
        try fixture.plugins.run(script)
        #expect(fixture.compiler.runs == 1)
        try fixture.expectEditIsSeen(fixture.request(in: "other"))
        #expect(fixture.compiler.runs == 2)
    }

    @Test("an output elsewhere has its own record, and so has another folder with the same id")
    func others() throws {
        let fixture = try Fixture()
        var elsewhere = fixture.request
        elsewhere.output = fixture.plugins.scratch.file("elsewhere.so")
        try fixture.build(elsewhere)
        try fixture.plugins.run("mkdir -p o/Plugins; cp -r project/Plugins/Hello o/Plugins/Hello")
        let other = fixture.request(in: "o")
        try fixture.build(other)
        #expect(fixture.compiler.runs == 3)
        #expect(fixture.builder.freshness(of: elsewhere) == .fresh)
        try fixture.expectEditIsSeen(fixture.request)
        #expect(fixture.builder.freshness(of: elsewhere) == .stale)
        try fixture.expectEditIsSeen(other)
    }

    @Test("a store that is deleted takes no record with it, and a manifest is not needed")
    func noStore() throws {
        let fixture = try Fixture()
        try fixture.plugins.run("mkdir project/.eaves; rm -r project/.eaves")
        try fixture.expectEditIsSeen(fixture.request)
        #expect(try fixture.plugins.scratch.names(in: "project") == ["Plugins"])
    }

    @Test("a file that was built from another folder is not replaced unasked")
    func otherFolder() throws {
        let fixture = try Fixture()
        let place = fixture.plugins.scratch.file("far/Hello")
        try fixture.plugins.run(
            "mkdir far; cp -r project/Plugins/Hello far; echo >> far/Hello/Entry.swift")
        var far = fixture.request
        far.folder = place
        try fixture.build(far)
        #expect(fixture.builder.freshness(of: far) == .fresh)
        #expect(fixture.builder.freshness(of: fixture.request) == .foreign(.folder(place)))
        far.base = Path.current
        let recorded = BuildRequest(recordedFor: "hello", output: far.output, configuration: nil)
        #expect(recorded == far)
        // Gone, it may be on a disk that is not there now.
        try fixture.plugins.run("mv far away")
        #expect(fixture.builder.freshness(of: fixture.request) == .foreign(.folder(place)))
        let gone = BuildRequest(recordedFor: "hello", output: far.output, configuration: nil)
        #expect(gone == nil)
        try fixture.build(fixture.request)
        try fixture.expectEditIsSeen(fixture.request)
    }

    @Test("a folder that was renamed makes its module anew: the Swift module has its name")
    func renamed() throws {
        let fixture = try Fixture()
        try fixture.plugins.run("mv project/Plugins/Hello project/Plugins/Other")
        let renamed = fixture.request(in: "project", folder: "Other")
        #expect(fixture.builder.freshness(of: renamed) == .stale)
        try fixture.build(renamed)
        #expect(fixture.compiler.runs == 2)
        #expect(fixture.builder.freshness(of: renamed) == .fresh)
    }

    @Test("of two folders with one id, the one that is not used leaves the file of the other alone")
    func twoFolders() throws {
        let fixture = try Fixture()
        try fixture.plugins.run("cp -r project/Plugins/Hello project/Plugins/Twin")
        let twin = fixture.request(in: "project", folder: "Twin")
        #expect(
            fixture.builder.freshness(of: twin) == .foreign(.folder(fixture.request.folder)))
        #expect(fixture.builder.freshness(of: fixture.request) == .fresh)
        // It holds another module by now.
        try fixture.plugins.scratch.write(
            PluginFixture.declaration("hey"), to: "project/Plugins/Hello/module.json")
        #expect(fixture.builder.freshness(of: twin) == .stale)
        try fixture.build(twin)
        #expect(fixture.compiler.runs == 2)
    }

    @Test("a build believes the content of the file, not its note")
    func patched() throws {
        let fixture = try Fixture()
        let path = fixture.request.output
        let original = try Files.read(path)
        // As somebody patches it who wants nobody to see it.
        try fixture.plugins.run(
            "touch -r \(path) x; printf x | dd of=\(path) bs=1 seek=999 conv=notrunc 2>/dev/null;"
                + " touch -r x \(path)")
        #expect(try Files.read(path) != original)
        try fixture.build(fixture.request)
        #expect(fixture.compiler.runs == 2)
        #expect(try Files.read(path) == original)
    }

    @Test("the folder of a record is found at its beginning, whatever it is called")
    func folderName() throws {
        let fixture = try Fixture()
        let path = "project/Plugins/.eaves-records/hello.so.json"
        let place = RecordPlace(of: fixture.request.output)
        #expect(place.folderName == "Hello")
        var record = try #require(place.record)
        // The rest is not looked at.
        let text = try fixture.plugins.scratch.read(path)
        try fixture.plugins.scratch.write(String(text.prefix(100)), to: path)
        #expect(place.folderName == "Hello")
        #expect(place.record == nil)
        let long = String(repeating: "long/", count: 200)
        for name in ["../far/Ä b", #"qu"ote"#, #"back\slash"#, long] {
            record.folder = name
            try fixture.plugins.scratch.write(record.json.text(pretty: true), to: path)
            #expect(place.folderName == name)
        }
        for text in ["", "{}", "text"] {
            try fixture.plugins.scratch.write(text, to: path)
            #expect(place.folderName == nil)
        }
    }

    @Test("folders that no record names go after an hour, except the one that a process builds in")
    func unused() throws {
        let scratch = try TemporaryFolder()
        let folders = ".eaves-records/packages"
        for name in ["left", "taken"] { try scratch.createFolder("\(folders)/\(name)") }
        let taken = try OpenFile(reading: scratch.file("\(folders)/taken"))
        let isTaken = taken.lockAlone()
        #expect(isTaken)
        RecordPlace(of: scratch.file("hello.so"))
            .removeUnusedPackages(at: WallClock.now + 7_200_000_000_000)
        #expect(try scratch.names(in: folders) == ["taken"])
        withExtendedLifetime(taken) {}
    }

    @Test("the folder of records keeps itself out of repositories")
    func ignored() throws {
        let fixture = try Fixture()
        #expect(
            try fixture.plugins.scratch.names(in: "project/Plugins/.eaves-records").sorted()
                == [".gitignore", "hello.so.json", "hello.so.json.lock", "lock"])
        #expect(
            try fixture.plugins.scratch.read("project/Plugins/.eaves-records/.gitignore") == "*\n")
    }
}

/// What `-o` may replace.
@Suite(.patiently) struct NamedOutputTests {
    private func build(
        to output: String, prepare script: String = ":"
    ) throws -> (PluginFixture, CompilerFixture, BuildResult) {
        let (plugins, compiler, _) = try PluginFixture.hello()
        try plugins.run(script)
        let request = try BuildRequest(
            folder: "Plugins/Hello", output: output, base: plugins.scratch.path)
        return (plugins, compiler, plugins.builder.build([request])[0])
    }

    @Test(
        "a file that is not the module is not replaced",
        arguments: [
            "echo '{}' > taken", "cp /bin/true taken", "mkfifo taken", "ln -s /dev/null taken",
        ])
    func taken(script: String) throws {
        let (plugins, compiler, result) = try build(to: "taken", prepare: script)
        #expect(result.error == BuildError("hello", .outputIsOther("taken")))
        #expect(compiler.runs == 0)
        #expect(result.error?.diagnostics.first?.code == .cannotCreate)
        #expect(try plugins.names() == ["Hello"])
    }

    @Test(
        "the module's own file, its own name and an empty file are replaced",
        arguments: [
            ("echo text > hello.so", "hello.so"), ("mkdir out", "out"), ("mkdir out", "out/"),
            (": > empty", "empty"), (":", "new.so"),
        ])
    func free(script: String, output: String) throws {
        let (plugins, compiler, result) = try build(to: output, prepare: script)
        #expect(result.error == nil)
        var again = result.request
        again.isForced = true
        // The module of the stand-in has another id: this one is known by its record.
        #expect(plugins.builder.build([again])[0].error == nil)
        #expect(compiler.runs == 2)
    }

    @Test("a folder that is missing is named")
    func missing() throws {
        let scratch = try TemporaryFolder()
        try scratch.write(PluginFixture.declaration("a"), to: "A/module.json")
        let error = #expect(throws: BuildError.self) {
            try BuildRequest(folder: "A", output: "none/", base: scratch.path)
        }
        #expect(error == BuildError("a", .noOutputFolder("none/")))
    }
}

/// Files that are saved while the compiler runs.
@Suite(.patiently) struct SaveMeanwhileTests {
    /// A compiler may print half of a source's mistakes, or crash over the other half.
    @Test(
        "what the compiler says about a source that is just being saved does not count",
        arguments: ["echo 'B.swift:1:1: error: half'; exit 1", "kill -SEGV $$"])
    func failed(end: String) throws {
        let (plugins, compiler, request) = try PluginFixture.hello(
            by: "test -e $PLUGIN/B.swift && give && exit; echo '// b' > $PLUGIN/B.swift; \(end)")
        let result = plugins.builder.build([request])[0]
        #expect(result.error == nil)
        #expect(result.compilerOutput == "")
        #expect(compiler.runs == 2)
    }

    @Test("errors of sources that never stop changing end as what they are, after three times")
    func endless() throws {
        let (plugins, compiler, request) = try PluginFixture.hello(
            by: "echo '// x' >> $PLUGIN/Hello.swift; echo oops; exit 1")
        let result = plugins.builder.build([request])[0]
        #expect(
            result.error == BuildError("hello", .unsteady(file: "Plugins/Hello/Hello.swift")))
        #expect(result.compilerOutput == "oops\n")
        #expect(compiler.runs == 3)
    }
}
