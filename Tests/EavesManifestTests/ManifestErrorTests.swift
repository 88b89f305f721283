// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesManifest
import EavesSystem
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
            (
                #"{"manifest":1,"modules":{"a":{},"a":{}}}"#,
                "1:33: duplicate key 'a', first at 1:26"
            ),
            ("[]", "1:1: expected an object, found an array"),
            ("{}", "1:1: the key 'manifest' is missing"),
            (#"{"manifest":2,"moduls":[]}"#, "1:13: manifest: expected 1, found 2"),
            (#"{"manifest":"1"}"#, "1:13: manifest: expected 1, found a string"),
            (#"{"manifest":1.5}"#, "1:13: manifest: expected 1, found a number"),
            (#"{"manifest":null}"#, "1:13: manifest: expected 1, found null"),
            (
                #"{"manifest":1,"bindngs":{}}"#,
                "1:15: unknown key 'bindngs', did you mean 'bindings'?"
            ),
            (#"{"manifest":1,"colour":1}"#, "1:15: unknown key 'colour'"),
            (#"{"manifest":1,"\u001b[2J":1}"#, "1:15: unknown key '\u{1b}[2J'"),
            (
                #"{"manifest":1,"signatures":"yes"}"#,
                "1:28: signatures: expected 'required', found 'yes'"
            ),
            (
                #"{"manifest":1,"signatures":true}"#,
                "1:28: signatures: expected a string, found true"
            ),
            (
                #"{"manifest":1,"modules":{"a":{"leastVersion":"-1"}}}"#,
                "1:46: modules.a.leastVersion: expected a version such as 1.0.0, found '-1'"
            ),
            (
                #"{"manifest":1,"revokedKeys":1}"#,
                "1:29: revokedKeys: expected a string, found a number"
            ),
            (
                #"{"manifest":1,"allowedSigners":""}"#,
                "1:32: allowedSigners: expected a text, found ''"
            ),
            (#"{"manifest":1,"$schema":1}"#, "1:25: $schema: expected a string, found a number"),
            (
                #"{"manifest":1,"directories":"Plugins"}"#,
                "1:29: directories: expected an array, found a string"
            ),
            (
                #"{"manifest":1,"directories":["a",true]}"#,
                "1:34: directories[1]: expected a string, found true"
            ),
            (
                #"{"manifest":1,"directories":[""]}"#,
                "1:30: directories[0]: expected a text, found ''"
            ),
            (
                #"{"manifest":1,"directories":["a\u0000b"]}"#,
                "1:30: directories[0]: a NUL character is not allowed here"
            ),
            (
                #"{"manifest":1,"directories":["a","a"]}"#,
                "1:34: directories[1]: the directory 'a' is listed twice"
            ),
            (
                #"{"manifest":1,"compilers":"6.2"}"#,
                "1:27: compilers: expected an array, found a string"
            ),
            (
                #"{"manifest":1,"compilers":["6.2.1"]}"#,
                "1:28: compilers[0]: expected the series of a Swift compiler, such as '6.2', "
                    + "found '6.2.1'"
            ),
            (
                #"{"manifest":1,"compilers":["6.2",6.1]}"#,
                "1:34: compilers[1]: expected a string, found a number"
            ),
            (
                #"{"manifest":1,"compilers":["6.2","6.2"]}"#,
                "1:34: compilers[1]: the compiler '6.2' is listed twice"
            ),
            (#"{"manifest":1,"modules":[]}"#, "1:25: modules: expected an object, found an array"),
            (
                #"{"manifest":1,"modules":{"Users":{}}}"#,
                "1:26: modules: 'Users' is not a module id"
            ),
            (#"{"manifest":1,"modules":{"../a":{}}}"#, "1:26: modules: '../a' is not a module id"),
            (
                #"{"manifest":1,"modules":{"users":true}}"#,
                "1:34: modules.users: expected an object, found true"
            ),
            (
                "{\"manifest\":1,\n\"modules\":{\"users\":{\n    \"libary\":\"x\"}}}",
                "3:5: modules.users: unknown key 'libary', did you mean 'library'?"
            ),
            (
                #"{"manifest":1,"modules":{"a.b":{"library":1}}}"#,
                "1:43: modules.'a.b'.library: expected a string, found a number"
            ),
            (
                #"{"manifest":1,"modules":{"a":{"library":""}}}"#,
                "1:41: modules.a.library: expected a text, found ''"
            ),
            (
                #"{"manifest":1,"modules":{"a":{"enabled":"yes"}}}"#,
                "1:41: modules.a.enabled: expected true or false, found a string"
            ),
            (
                #"{"manifest":1,"modules":{"a":{"sha256":"12"}}}"#,
                "1:40: modules.a.sha256: expected 64 hexadecimal digits, found '12'"
            ),
            (
                #"{"manifest":1,"modules":{"a":{"isolation":"proces"}}}"#,
                "1:43: modules.a.isolation: unknown isolation 'proces', did you mean 'process'?"
            ),
            (
                #"{"manifest":1,"modules":{"a":{"isolation":false}}}"#,
                "1:43: modules.a.isolation: expected 'process', found false"
            ),
            (
                #"{"manifest":1,"modules":{"a":{"isolation":{"worker":"data"}}}}"#,
                "1:43: modules.a.isolation: expected 'process', found an object"
            ),
            (
                #"{"manifest":1,"modules":{"a":{"permissions":{"reads":[]}}}}"#,
                "1:46: modules.a.permissions: unknown key 'reads', did you mean 'read'?"
            ),
            (
                #"{"manifest":1,"modules":{"a":{"permissions":{"write":"data"}}}}"#,
                "1:54: modules.a.permissions.write: expected an array, found a string"
            ),
            (
                #"{"manifest":1,"modules":{"a":{"permissions":{"connect":["*:443","8080"]}}}}"#,
                "1:65: modules.a.permissions.connect[1]: expected an address and a port, found '8080'"
            ),
            (
                #"{"manifest":1,"modules":{"a":{"permissions":{"environment":["A=b"]}}}}"#,
                "1:61: modules.a.permissions.environment[0]: expected the name of a variable, found 'A=b'"
            ),
            (
                #"{"manifest":1,"modules":{"a":{"permissions":{"resolve":["a"]}}}}"#,
                "1:56: modules.a.permissions.resolve: expected true or false, found an array"
            ),
            (
                #"{"manifest":1,"modules":{"a":{"settings":[]}}}"#,
                "1:42: modules.a.settings: expected an object, found an array"
            ),
            (
                #"{"manifest":1,"bindings":{"User-Service":"a"}}"#,
                "1:27: bindings: 'User-Service' is not the name of a service"
            ),
            (
                #"{"manifest":1,"bindings":{"A":[]}}"#,
                "1:31: bindings.A: expected the id of a module, or an object of weights, "
                    + "found an array"
            ),
            (#"{"manifest":1,"bindings":{"A":"B"}}"#, "1:31: bindings.A: 'B' is not a module id"),
            (#"{"manifest":1,"launch":""}"#, "1:24: launch: expected a text, found ''"),
        ])
    func message(text: String, expected: String) {
        let found = problems(in: text)
        #expect(found.map(\.message) == ["manifest.json:\(expected)"])
        #expect(found.map(\.code) == [.badData])
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
            ("{}", #"add '"manifest": 1'"#),
            (
                #"{"manifest":1,"x":1}"#,
                "remove it, or use one of '$schema', 'manifest', 'directories', 'compilers',"
                    + " 'modules', 'bindings', 'launch', 'open', 'probation', 'signatures', 'allowedSigners', 'revokedKeys'"
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
        #expect((foundPipe + foundFolder).map(\.code) == [.badData, .badData])
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
