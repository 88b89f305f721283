// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
import EavesTestSupport
import Testing

@Suite("The report of a binary")
struct BinaryReportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let source = """
        extern int wanted_function(int);
        extern int wanted_maybe(int) __attribute__((weak));
        static int hidden_helper(int n) { return n + 1; }
        __attribute__((visibility("hidden"))) int hidden_function(int n) { return n; }
        int shown_function(int n) {
            return wanted_function(hidden_helper(n)) + (wanted_maybe ? wanted_maybe(n) : 0);
        }
        int shown_data = 7;
        \(Binaries.entry)
        """

    @Test(
        "names the symbols that are defined and those that are undefined", arguments: CCompiler.all)
    func symbols(compiler: CCompiler) throws {
        let path = try folder.write(compiler.compile(Self.source), to: "module.so")
        let report = try BinaryReport(of: path)
        #expect(report.defines(function: "eaves_register"))
        #expect(report.machine == .current)
        #expect(
            report.definedNames(startingWith: "shown_").sorted() == [
                "shown_data", "shown_function",
            ])
        #expect(
            report.undefinedNames(startingWith: "wanted_").sorted()
                == ["wanted_function", "wanted_maybe"])
        #expect(!report.symbols.contains { $0.name.hasPrefix("hidden_") })
        let maybe = try #require(report.symbols.first { $0.name == "wanted_maybe" })
        #expect(maybe.isWeak && !maybe.isDefined)
        let data = try #require(report.symbols.first { $0.name == "shown_data" })
        #expect(data.kind == .object && data.isDefined && !data.isWeak)
    }

    @Test("knows which symbols a process has once for all files", arguments: CCompiler.all)
    func unique(compiler: CCompiler) throws {
        let own = ["_ZZ6globalvE1c", "plain"]
        // The guard of a variable, and two variables of the C++ library.
        let others = ["_ZGVZ6globalvE1c", "_ZZNKSt4hashclEvE1d", "_ZN9__gnu_cxx1xE"]
        let lines = (own + others).map {
            #".globl \#($0)\n.type \#($0), @gnu_unique_object\n\#($0): .quad 1\n.size \#($0), 8\n"#
        }
        let source = "int usual = 7; __asm__(\".data\\n\(lines.joined()).text\\n\");"
        let file = try ELFFile(folder.write(compiler.compile(source), to: "module.so"))
        let found = try file.processWideDefinitions()
        #expect(Set(found) == Set(own.map(ProcessWideDefinition.symbol)))
    }

    @Test("reads both kinds of hash table", arguments: CCompiler.all, ["sysv", "gnu", "both"])
    func hashStyles(compiler: CCompiler, style: String) throws {
        let many = (0..<500).map { "int number_\($0)(void) { return \($0); }" }
        let bytes = try compiler.compile(
            many.joined(separator: "\n") + "\n" + Self.source,
            ["-shared", "-Wl,--hash-style=\(style)"])
        // Without the table of sections, as `sstrip` leaves it: only the hash table has the count.
        let bare = bytes.patched(40..<48, with: 0).patched(60..<62, with: 0)
        for (name, bytes) in [("whole.so", bytes), ("bare.so", bare)] {
            let report = try BinaryReport(of: folder.write(bytes, to: name))
            #expect(report.definedNames(startingWith: "number_").count == 500)
            #expect(report.undefinedNames(startingWith: "wanted_").count == 2)
            #expect(report.defines(function: "eaves_register"))
        }
    }

    @Test("sees the undefined symbols of a file that defines none", arguments: CCompiler.all)
    func nothingDefined(compiler: CCompiler) throws {
        let source = """
            extern int wanted_function(void);
            static int (*const uses)(void) __attribute__((used)) = wanted_function;
            """
        let path = try folder.write(compiler.compile(source), to: "module.so")
        let report = try BinaryReport(of: path)
        #expect(report.undefinedNames() == ["wanted_function"])
        #expect(!report.defines(function: "eaves_register"))
    }

    @Test(
        "an undefined function, data and a private function are not defined functions",
        arguments: [
            "extern int eaves_register(const void *); int call(void) { return eaves_register(0); }",
            "int eaves_register = 1;",
            "static int eaves_register(const void *host) { return 0; } void *p = eaves_register;",
        ])
    func noEntry(source: String) throws {
        let compiler = try CCompiler.first()
        let path = try folder.write(compiler.compile(source), to: "module.so")
        #expect(try !BinaryReport(of: path).defines(function: "eaves_register"))
    }

    @Test("reads the names of the file and of the libraries", arguments: CCompiler.all)
    func libraries(compiler: CCompiler) throws {
        let library = try compiler.compile(
            "int helped(void) { return 1; }", ["-shared", "-Wl,-soname,libhelp.so.3"])
        let helper = try folder.write(library, to: "libhelp.so")
        let bytes = try compiler.compile(
            "extern int helped(void); int call(void) { return helped(); }",
            [
                "-shared", "-Wl,--no-as-needed", helper, "-Wl,-soname,users.so",
                "-Wl,-rpath,/opt/a:/opt/b", "-Wl,--enable-new-dtags",
            ])
        let report = try BinaryReport(of: folder.write(bytes, to: "module.so"))
        #expect(report.soname == "users.so")
        #expect(report.needed == ["libhelp.so.3"])
        #expect(report.libraries.runpath == "/opt/a:/opt/b")
        #expect(report.libraries.rpath == nil)
    }
}
