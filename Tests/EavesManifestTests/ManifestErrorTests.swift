// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesManifest
import EavesTestSupport
import Glibc
import Testing

@Suite("Wrong manifests")
struct ManifestErrorTests {
    @Test(
        "names the place, the keys, what was expected and what was found",
        arguments: [
            (
                "{",
                "1:2: expected a key in double quotes, found the end of the text;"
                    + " the bracket at 1:1 is not closed"
            ),
            (
                "{\n\"manifest\": 1,\n\"launch\": \"a\",\n\"launch\": \"b\"}",
                "4:1: duplicate key 'launch', first at 3:1"
            ),
            ("[]", "1:1: expected an object, found an array"),
            ("{}", "1:1: the key 'manifest' is missing"),
            (#"{"manifest":2,"moduls":[]}"#, "1:13: manifest: expected 1, found 2"),
            (#"{"manifest":"1"}"#, "1:13: manifest: expected 1, found a string"),
            (#"{"manifest":1.5}"#, "1:13: manifest: expected 1, found a number"),
            (#"{"manifest":null}"#, "1:13: manifest: expected 1, found null"),
            (#"{"manifest":1,"\u001b[2J":1}"#, "1:15: unknown key '\u{1b}[2J'"),
            (
                #"{"manifest":1,"directories":["a\u0000b"]}"#,
                "1:30: directories[0]: a NUL character is not allowed here"
            ),
            (
                "{\"manifest\":1,\n\"modules\":{\"users\":{\n    \"libary\":\"x\"}}}",
                "3:5: modules.users: unknown key 'libary', did you mean 'library'?"
            ),
        ])
    func message(text: String, expected: String) {
        let found = problems(in: text)
        #expect(found.map(\.message) == ["manifest.json:\(expected)"])
        #expect(found.map(\.code) == [.badData])
    }

    @Test(
        "names the place and the keys of a wrong member",
        arguments: [
            (#""modules":{"a":{},"a":{}}"#, "1:33: duplicate key 'a', first at 1:26"),
            (#""bindngs":{}"#, "1:15: unknown key 'bindngs', did you mean 'bindings'?"),
            (#""colour":1"#, "1:15: unknown key 'colour'"),
            (#""signatures":"yes""#, "1:28: signatures: expected 'required', found 'yes'"),
            (#""signatures":true"#, "1:28: signatures: expected a string, found true"),
            (
                #""signers":{"a":["?"]}"#,
                "1:31: signers.a[0]: expected a module id, or a pattern of ids such as 'users-*', found '?'"
            ),
            (#""revokedKeys":1"#, "1:29: revokedKeys: expected a string, found a number"),
            (#""allowedSigners":"""#, "1:32: allowedSigners: expected a text, found ''"),
            (#""$schema":1"#, "1:25: $schema: expected a string, found a number"),
            (#""directories":"Plugins""#, "1:29: directories: expected an array, found a string"),
            (#""directories":["a",true]"#, "1:34: directories[1]: expected a string, found true"),
            (#""directories":[""]"#, "1:30: directories[0]: expected a text, found ''"),
            (
                #""directories":["a","a"]"#,
                "1:34: directories[1]: the directory 'a' is listed twice"
            ),
            (#""compilers":"6.2""#, "1:27: compilers: expected an array, found a string"),
            (
                #""compilers":["6.2.1"]"#,
                "1:28: compilers[0]: expected the series of a Swift compiler, such as '6.2', found '6.2.1'"
            ),
            (#""compilers":["6.2",6.1]"#, "1:34: compilers[1]: expected a string, found a number"),
            (
                #""compilers":["6.2","6.2"]"#,
                "1:34: compilers[1]: the compiler '6.2' is listed twice"
            ),
            (#""modules":[]"#, "1:25: modules: expected an object, found an array"),
            (#""modules":{"Users":{}}"#, "1:26: modules: 'Users' is not a module id"),
            (#""modules":{"../a":{}}"#, "1:26: modules: '../a' is not a module id"),
            (#""modules":{"users":true}"#, "1:34: modules.users: expected an object, found true"),
            (
                #""modules":{"a.b":{"library":1}}"#,
                "1:43: modules.'a.b'.library: expected a string, found a number"
            ),
            (
                #""bindings":{"User-Service":"a"}"#,
                "1:27: bindings: 'User-Service' is not the name of a service"
            ),
            (
                #""bindings":{"A":[]}"#,
                "1:31: bindings.A: expected the id of a module, or an object of weights, found an array"
            ),
            (#""bindings":{"A":"B"}"#, "1:31: bindings.A: 'B' is not a module id"),
            (#""launch":"""#, "1:24: launch: expected a text, found ''"),
        ])
    func member(text: String, expected: String) {
        message(text: #"{"manifest":1,\#(text)}"#, expected: expected)
    }

    @Test(
        "names the place and the keys of what is wrong in a module's entry",
        arguments: [
            (
                #""leastVersion":"-1""#, 46,
                "leastVersion: expected a version such as 1.0.0, found '-1'"
            ),
            (#""library":"""#, 41, "library: expected a text, found ''"),
            (#""enabled":"yes""#, 41, "enabled: expected true or false, found a string"),
            (#""sha256":"12""#, 40, "sha256: expected 64 hexadecimal digits, found '12'"),
            (
                #""isolation":"proces""#, 43,
                "isolation: unknown isolation 'proces', did you mean 'process'?"
            ),
            (#""isolation":false"#, 43, "isolation: expected 'process', found false"),
            (
                #""isolation":{"worker":"data"}"#, 43,
                "isolation: expected 'process', found an object"
            ),
            (
                #""permissions":{"reads":[]}"#, 46,
                "permissions: unknown key 'reads', did you mean 'read'?"
            ),
            (
                #""permissions":{"write":"data"}"#, 54,
                "permissions.write: expected an array, found a string"
            ),
            (
                #""permissions":{"connect":["*:443","8080"]}"#, 65,
                "permissions.connect[1]: expected an address and a port, found '8080'"
            ),
            (
                #""permissions":{"environment":["A=b"]}"#, 61,
                "permissions.environment[0]: expected the name of a variable, found 'A=b'"
            ),
            (
                #""permissions":{"resolve":["a"]}"#, 56,
                "permissions.resolve: expected true or false, found an array"
            ),
            (#""settings":[]"#, 42, "settings: expected an object, found an array"),
        ])
    func entry(text: String, column: Int, expected: String) {
        member(
            text: #""modules":{"a":{\#(text)}}"#, expected: "1:\(column): modules.a.\(expected)")
    }

    @Test("reports everything at once, in the order of the file")
    func everything() {
        let text = #"""
            {
              "launch": 1,
              "modules": { "Users": { "libary": "x", "enabled": 0 }, "b": [] },
              "bindings": { "A B": "C" },
              "directories": [1, "", "a"],
              "binding": {}
            }
            """#
        #expect(
            problems(in: text).map(\.message) == [
                "manifest.json:1:1: the key 'manifest' is missing",
                "manifest.json:2:13: launch: expected a string, found a number",
                "manifest.json:3:16: modules: 'Users' is not a module id",
                "manifest.json:3:27: modules.Users: unknown key 'libary', did you mean 'library'?",
                "manifest.json:3:53: modules.Users.enabled: expected true or false, found a number",
                "manifest.json:3:63: modules.b: expected an object, found an array",
                "manifest.json:4:17: bindings: 'A B' is not the name of a service",
                "manifest.json:4:24: bindings.'A B': 'C' is not a module id",
                "manifest.json:5:19: directories[0]: expected a string, found a number",
                "manifest.json:5:22: directories[1]: expected a text, found ''",
                "manifest.json:6:3: unknown key 'binding', did you mean 'bindings'?",
            ])
    }

    @Test("of very many, reports a hundred and how many there are")
    func many() {
        let keys = (0..<100_000).map { #""k\#($0)": 1"# }.joined(separator: ",\n")
        let found = problems(in: "{\"manifest\": 1,\n\(keys)}").map(\.message)
        #expect(found.count == 101)
        #expect(found.first?.hasPrefix("manifest.json:2:1: unknown key 'k0'") == true)
        #expect(found.last == "manifest.json: and 99900 more problems")
    }

    @Test(
        "says how to correct the manifest",
        arguments: [
            ("", "write the missing part"), ("{}", #"add '"manifest": 1'"#),
            (
                #"{"manifest":1,"x":1}"#,
                "remove it, or use one of '$schema', 'manifest', 'directories', 'compilers',"
                    + " 'modules', 'bindings', 'launch', 'open', 'probation', 'signatures', 'signers', 'allowedSigners', 'revokedKeys'"
            ),
            (#"{"manifest":1,}"#, "remove the comma"),
            (#"{"manifest":7}"#, #"write '"manifest": 1', or use a newer version of eaves"#),
            (
                #"{"manifest":1,"modules":{"a":{"sha256":"12"}}}"#,
                "write what 'sha256sum' prints for the library"
            ),
        ])
    func fix(text: String, expected: String) {
        #expect(problems(in: text).map(\.fix) == [expected])
    }

    @Test("names the file that is missing")
    func missing() throws {
        let folder = try TemporaryFolder()
        let found = problems { _ = try Manifest.load(folder.file("manifest.json")) }
        #expect(found.map(\.message) == ["\(folder.path)/manifest.json: no such manifest"])
        #expect(found.map(\.code) == [.notFound])
    }

    @Test("refuses a pipe and a folder, without waiting")
    func notAFile() throws {
        let folder = try TemporaryFolder()
        let pipe = folder.file("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        let foundPipe = problems { _ = try Manifest.load(pipe) }
        #expect(foundPipe.map(\.message) == ["\(pipe): expected a file, found a pipe"])
        let foundFolder = problems { _ = try Manifest.load(folder.path) }
        #expect(
            foundFolder.map(\.message) == ["\(folder.path): expected a file, found a directory"])
        let foundDevice = problems { _ = try Manifest.load("/dev/zero") }
        #expect(foundDevice.map(\.message) == ["/dev/zero: expected a file, found a device"])
        let found = foundPipe + foundFolder + foundDevice
        #expect(found.allSatisfy { $0.code == .badData })
        #expect(found.allSatisfy { $0.fix == "name a file with '--manifest PATH'" })
    }

    @Test("passes on the message of the system")
    func systemError() throws {
        let folder = try TemporaryFolder()
        try folder.write("{}", to: "file")
        let found = problems { _ = try Manifest.load(folder.file("file/manifest.json")) }
        #expect(
            found.map(\.message)
                == ["cannot inspect \(folder.path)/file: Not a directory"])
        #expect(found.map(\.code) == [.inputOutput])
    }
}

@Suite("Damaged manifests")
struct ManifestDamageTests {
    private let bytes = Array(wholeManifest.utf8)

    @Test("refuses each beginning of a manifest with one message that names a place")
    func truncated() throws {
        let end = try #require(bytes.lastIndex(of: UInt8(ascii: "}")))
        for count in Soak.sample(0...end, every: 10) {
            let text = Array(bytes[..<count])
            let error = #expect(throws: ManifestError.self) {
                try Manifest(path: "manifest.json", bytes: text)
            }
            #expect(error?.problems.count == 1)
            #expect(error?.problems.first?.position != nil)
        }
    }

    @Test("a manifest with a changed byte is read, or refused with a reason")
    func flipped() throws {
        var (read, refused) = (0, 0)
        for offset in Soak.sample(bytes.indices, every: 10) {
            let changes = (0..<8).map { bytes[offset] ^ (1 << $0) } + [0, 0x22, 0x5C, 0x7D, 0xFF]
            for value in changes where value != bytes[offset] {
                var damaged = bytes
                damaged[offset] = value
                do throws(ManifestError) {
                    _ = try Manifest(path: "manifest.json", bytes: damaged)
                    read += 1
                } catch {
                    #expect(!error.diagnostics.isEmpty)
                    #expect(error.diagnostics.allSatisfy { $0.code == .badData })
                    refused += 1
                }
            }
        }
        #expect(read > 0 && refused > read)
    }
}
