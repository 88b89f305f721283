// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@testable import EavesCode

@Suite("The declarations of a source", .onOwnThreads)
struct SwiftDeclarationsTests {
    private func types(_ text: String) -> [String] {
        SwiftDeclarations(Array(text.utf8)).types.map(\.name)
    }

    private func hasEntryPoint(_ text: String) -> Bool {
        SwiftDeclarations(Array(text.utf8)).hasEntryPoint
    }

    @Test(
        "are found whatever stands around them",
        arguments: [
            "struct A {}", "public final class A: B, C where T: D {}", "enum A{}", "actor A {}",
            "package indirect enum A: Module { case a }", "typealias A = B",
            "@MainActor struct A {}",
            "struct\n    A\n{\n}", "/* no */ struct /* no */ A // no\n{}", "struct A<T> {}",
            "class A { class func f() { let x = 1 } }", "let s = \"\"; struct A {}",
            "class A { class var x: Int { 1 } }", "class A { class override func f() {} }",
            "#if os(Linux)\nstruct A {}\n#endif", "extension B {}\nstruct A {}",
            "let a = [{ 1 }, { 2 }]\nstruct A {}",
            "func f(enum b: Int, struct c: Int) {}\nstruct A {}",
            "protocol P: AnyObject { var x: Int { get } }\nstruct A {}",
            "let x = y.struct; let z = A.class\nstruct A {}",
        ])
    func found(text: String) {
        #expect(types(text) == ["A"])
    }

    @Test("carry the names of the types around them, and their places")
    func nested() {
        let text = "struct A { enum B { struct C {} }\n struct D {} }\nextension X.Y { enum Z {} }"
        #expect(types(text) == ["A", "A.B", "A.B.C", "A.D", "X.Y.Z"])
        let declarations = SwiftDeclarations(Array("// ä\nstruct A {}".utf8))
        #expect(declarations.types == [.init(name: "A", offset: 13)])
        #expect(types("struct `A` { struct Größe {} }") == ["`A`", "`A`.Größe"])
    }

    @Test(
        "are not found in comments, strings, regular expressions and functions",
        arguments: [
            "// struct A {}", "/* struct A {} */", "/* /* */ struct A {} */",
            "let s = \"struct A {}\"", #"let s = "\" struct A {}""#, #"let s = "\\\" struct A {}""#,
            #"let s = "\(f("struct A {}")) struct A {}""#, #"let s = "\({ struct A {} }())""#,
            #"let s = "\(f(")")) } struct A {}""#, #"let s = "\(1 /* ) */) struct A {}""#,
            "let s = \"\"\"\n \"struct A {}\" \"\"\n\"\"\"",
            "let s = \"\"\"\n \\\"\"\" struct A {}\n\"\"\"",
            ##"let s = #"\" struct A {} "#"##, ##"let s = #"\#(f("")) struct A {}"#"##,
            ##"let s = #"\(struct A {}"#"##,
            "let s = #\"\"\"\n \"\"\" struct A {}\n\"\"\"#",
            #"let r = /"struct A {}/"#, #"let r = /\/ struct A {}/"#, "let r = #/ struct A {} /#",
            "let r = #/\n \" struct A {}\n/#", "func f() { struct A {} }",
            "let x: Int = { struct A {}; return 1 }()", "extension [Int] { struct A {} }",
            "func f(struct A: Int) {}", "let x = y.struct A", "protocol A {}", "extension A {}",
            "/* struct A {}",
        ])
    func hidden(text: String) {
        #expect(types(text) == [])
    }

    @Test(
        "are found behind what a string or a comment ends with",
        arguments: [
            #"let s = "\\"; struct A {}"#, "let s = #\"\\\"#; struct A {}",
            "let s = #\"\"\"#; struct A {}", "let s = \"a\" + \"\" + \"b\"; struct A {}",
            "let s = \"\"\"\n x\n\"\"\"; struct A {}", "let s = ##\"\"# \"##; struct A {}",
            "/**/ struct A {}", "/***/ struct A {}", "let x = a / b; let y = \"/\"; struct A {}",
            "let x = (a)/b + \"/\"; struct A {}", "let x = reduce(1, /)\nstruct A {}",
            "let r = /a\"b/; struct A {}", "let s = \"not closed\nstruct A {}",
            #"let s = "\(a + "\(b)" + c)"; struct A {}"#, "let s = \"//\"; struct A {}",
        ])
    func behind(text: String) {
        #expect(types(text) == ["A"])
    }

    @Test(
        "of the entry point are found in each of its forms",
        arguments: [
            "@c(eaves_register) public func f() {}", "@_cdecl(\"eaves_register\") func f() {}",
            "@c\n(\n eaves_register )\nfunc f() {}", "@c public func eaves_register() {}",
            "@_silgen_name(\"eaves_register\") func f() {}",
            "enum E { @c(eaves_register) static func f() {} }",
            "@c func other() {}\n@c func eaves_register() {}",
        ])
    func entryPoint(text: String) {
        #expect(hasEntryPoint(text))
    }

    @Test(
        "of the entry point are not taken for one where it is only named",
        arguments: [
            "// @c(eaves_register)", "let s = \"@c(eaves_register)\"", "eaves_register(host)",
            "@c(eaves_other) func f() {}", "@_cdecl(\"eaves_registers\") func f() {}",
            "func eaves_register() {}", "@c func f() {}\nfunc eaves_register() {}",
            "@objc(eaves_register) func f() {}", "@c func eaves_registers() {}",
        ])
    func noEntryPoint(text: String) {
        #expect(!hasEntryPoint(text))
    }

    @Test("of a text that is cut off anywhere are read to its end")
    func cut() {
        let text = Array(
            ##"struct A { let s = #"\#(f("x /* "))"#; let r = /a\/b/; /* c */ } @c(`x`) "\("##.utf8)
        for count in text.indices { _ = SwiftDeclarations(Array(text.prefix(count))) }
        for start in text.indices { _ = SwiftDeclarations(Array(text.dropFirst(start))) }
    }
}

@Suite("The names of types in code that Eaves writes")
struct TypeNamesTests {
    @Test(
        "say their module where another module has the name, unless a type has the module's name",
        arguments: [
            ("Error", "Swift", "Swift.Error"), ("Int", "Swift", "Int"),
            ("Data", "Foundation", "Foundation.Data"), ("Error", "API", "Error"),
            ("Store", "API", "Store"), ("Data", "Names", "Data"), ("Data", "API", "API.Data"),
        ])
    func names(name: String, module: String, text: String) {
        let names = TypeNames([
            "API": Array("public enum Error {}\nenum Data {}\npublic protocol Store {}".utf8),
            "Names": Array("public struct Names {}\npublic enum Data {}".utf8),
        ])
        #expect(names.text(name, of: module) == text)
    }

    @Test(
        "have the module in the compiler's identifier",
        arguments: [
            ("s:SS", "Swift"), ("s:s5ErrorP", "Swift"), ("s:s4Voida", "Swift"),
            ("s:SS5IndexV", "Swift"), ("s:ScT", "_Concurrency"), ("s:Scs", "_Concurrency"),
            ("s:20FoundationEssentials4DataV", "FoundationEssentials"), ("s:5NamesAAV", "Names"),
            ("s:ST7ElementQa", nil), ("s:5Names5StoreP4SelfQzmfp", nil), ("c:@S@stat", nil),
        ])
    func modules(type: String, module: String?) {
        #expect(SymbolGraph.Fragment(kind: "typeIdentifier", text: "", type: type).module == module)
    }
}
