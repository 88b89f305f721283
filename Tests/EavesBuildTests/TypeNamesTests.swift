// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EavesCode

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
