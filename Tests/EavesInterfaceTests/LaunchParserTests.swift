// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesTestSupport
import Testing

@Suite("the arguments of a feature", .promptly)
struct LaunchParserTests {
    private func launch(_ arguments: [String]) -> Launch {
        Launch(
            arguments: arguments, feature: "weather", summary: "Tell the weather",
            console: OneLineConsole())
    }

    /// What `weather` takes: `weather --unit c Berlin`.
    private struct Weather: Equatable {
        var unit = "c"
        var days: Int?
        var isBrief = false
        var isLoud = false
        var tags: [String] = []
        var city = "Berlin"
        var others: [String] = []
    }

    private func weather(_ arguments: [String]) throws -> Weather {
        let (unit, days, isBrief, isLoud, tags, city, others) = try launch(arguments).parse(
            .option("--unit", "-u", default: "c", value: "UNIT", help: "c or f"),
            .option("--days", as: Int.self, value: "COUNT", help: "how far to look"),
            .flag("--brief", "-b", help: "print one line"),
            .flag("--loud", "-l"),
            .options("--tag", "-t"),
            .argument("CITY", help: "the city to ask for"),
            .arguments("MORE"))
        return Weather(
            unit: unit, days: days, isBrief: isBrief, isLoud: isLoud, tags: tags, city: city,
            others: others)
    }

    @Test(
        "options, flags and arguments may be mixed, in long and short forms",
        arguments: [
            (["Berlin"], Weather()),
            (["--unit", "f", "Berlin"], Weather(unit: "f")),
            (["Berlin", "--unit=f"], Weather(unit: "f")),
            (["-u", "f", "Berlin"], Weather(unit: "f")),
            (["-uf", "Berlin"], Weather(unit: "f")),
            (["-bluf", "Berlin"], Weather(unit: "f", isBrief: true, isLoud: true)),
            (["--unit", "a", "Berlin", "--unit=f"], Weather(unit: "f")),
            (["--unit=", "Berlin"], Weather(unit: "")),
            (["--unit=a=b", "Berlin"], Weather(unit: "a=b")),
            (["--unit", "--brief", "Berlin"], Weather(unit: "--brief")),
            (["--days", "-3", "Berlin"], Weather(days: -3)),
            (["--brief", "--brief", "Berlin"], Weather(isBrief: true)),
            (["-t", "a", "Berlin", "--tag=b"], Weather(tags: ["a", "b"])),
            (
                ["Berlin", "Paris", "--", "--unit", "--"],
                Weather(others: ["Paris", "--unit", "--"])
            ),
            (["-", "-5", "-.5"], Weather(city: "-", others: ["-5", "-.5"])),
            ([""], Weather(city: "")),
        ])
    private func parsed(arguments: [String], expected: Weather) throws {
        #expect(try weather(arguments) == expected)
    }

    @Test(
        "wrong arguments are usage errors that name them",
        arguments: [
            (["--units", "c", "Berlin"], "unknown option '--units'"),
            (["--brif=x", "Berlin"], "unknown option '--brif'"),
            (["-x", "Berlin"], "unknown option '-x'"),
            (["-bx", "Berlin"], "unknown option '-x'"),
            (["Berlin", "--unit"], "option '--unit' needs a value"),
            (["Berlin", "-bu"], "option '-u' needs a value"),
            (["Berlin", "--brief=yes"], "option '--brief' takes no value"),
            (["Berlin", "--days", "many"], "option '--days' expects a whole number, found 'many'"),
            (["Berlin", "--days="], "option '--days' expects a whole number, found ''"),
            ([], "'weather' expects CITY [MORE…], found nothing"),
        ])
    func wrong(arguments: [String], message: String) throws {
        let error = #expect(throws: UsageError.self) { try weather(arguments) }
        #expect(error?.description == message)
        #expect(error?.fix?.hasSuffix("with '--help'") == true)
    }

    @Test("arguments that have to be given come first, then those that may be left out")
    func operands() throws {
        func parse(_ arguments: String...) throws -> [String?] {
            let (one, two, three) = try launch(arguments).parse(
                .optionalArgument("ONE"), .argument("TWO"), .optionalArgument("THREE"))
            return [one, two, three]
        }
        #expect(try parse("a") == [nil, "a", nil])
        #expect(try parse("a", "b") == ["a", "b", nil])
        #expect(try parse("a", "b", "c") == ["a", "b", "c"])
        let error = #expect(throws: UsageError.self) { try parse("a", "b", "c", "d") }
        #expect(error?.description == "'weather' expects [ONE] TWO [THREE], found 'a b c d'")
    }

    @Test("a feature that takes nothing says so, also if it does not know its name")
    func nothing() throws {
        try launch([]).parse()
        var error = #expect(throws: UsageError.self) { try launch(["Berlin"]).parse() }
        #expect(error?.description == "'weather' expects no arguments, found 'Berlin'")
        let nameless = Launch(arguments: ["Berlin"], console: OneLineConsole())
        error = #expect(throws: UsageError.self) { try nameless.parse() }
        #expect(error?.description == "expected no arguments, found 'Berlin'")
    }

    @Test("other types are read as they describe themselves, and errors name their form")
    func types() throws {
        let arguments = launch(["--factor=0.5", "--loud", "true"])
        let (factor, isLoud, port) = try arguments.parse(
            .option("--factor", default: 1.0), .option("--loud", as: Bool.self),
            .option("--port", as: UInt8.self))
        #expect(factor == 0.5)
        #expect(isLoud == true)
        #expect(port == nil)
        func error(_ word: String) throws -> String? {
            #expect(throws: UsageError.self) {
                try launch([word]).parse(
                    .option("--factor", default: 1.0), .option("--loud", as: Bool.self),
                    .option("--port", as: UInt8.self))
            }?.description
        }
        #expect(try error("--factor=x") == "option '--factor' expects a number, found 'x'")
        #expect(try error("--loud=x") == "option '--loud' expects true or false, found 'x'")
        #expect(try error("--port=256") == "option '--port' expects a whole number, found '256'")
    }

    @Test(
        "help has the summary, a usage line, and a line for each parameter",
        arguments: ["--help", "-h"])
    func help(word: String) throws {
        let help = #expect(throws: HelpRequest.self) { try weather(["--unit", "f", "-b", word]) }
        #expect(
            help?.description == """
                Tell the weather

                usage: weather [OPTION…] CITY [MORE…]

                arguments:
                  CITY  the city to ask for
                  MORE

                options:
                  -u, --unit UNIT   c or f (default: c)
                      --days COUNT  how far to look
                  -b, --brief       print one line
                  -l, --loud
                  -t, --tag VALUE
                  -h, --help        show this help

                """)
    }

    @Test("an option may be called like the help, and what stands behind an option is its value")
    func ownHelp() throws {
        #expect(try launch(["--help"]).parse(.flag("--help")) == true)
        for arguments in [["-h", "-h"], ["--host", "-h"]] {
            let host = try launch(arguments).parse(.option("--host", "-h"))
            #expect(host == "-h")
        }
        let help = #expect(throws: HelpRequest.self) {
            try launch(["--help"]).parse(.option("--host", "-h"))
        }
        #expect(help?.description.contains("  -h, --host VALUE\n      --help        show") == true)
        #expect(try launch(["--", "--help"]).parse(.argument("WORD")) == "--help")
    }

    /// Parameters that do not work, and the reason.
    static let mistakes: [(parse: @Sendable (Launch) throws -> Void, reason: String)] = [
        (
            { _ = try $0.parse(.flag("--unit"), .option("--unit")) },
            "option '--unit' is declared twice"
        ),
        (
            { _ = try $0.parse(.flag("unit")) },
            "option 'unit': a name begins with '--', as '--unit' does"
        ),
        (
            { _ = try $0.parse(.flag("--unit", "u")) },
            "option '--unit': expected a letter, as in '-u', found 'u'"
        ),
        (
            { _ = try $0.parse(.arguments("FROM"), .argument("TO")) },
            "argument 'TO' stands behind one that takes all"
        ),
    ]

    @Test(
        "parameters that do not work end the process with the reason", arguments: mistakes.indices)
    func mistake(index: Int) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [index = index as Int] in
            let launch = Launch(feature: "weather", console: OneLineConsole())
            try LaunchParserTests.mistakes[index].parse(launch)
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            said.contains(
                "feature 'weather' declares parameters that do not work: "
                    + Self.mistakes[index].reason), "\(said)")
    }
}

@Suite("the input and the result of a feature")
struct LaunchTests {
    @Test("success is 0 and failure is 1")
    func exitCodes() {
        #expect(ExitCode.success.rawValue == 0)
        #expect(ExitCode.failure.rawValue == 1)
        #expect(ExitCode(7) == ExitCode(rawValue: 7))
    }

    @Test("a console prints a line with its end, and a question without one")
    func console() throws {
        let console = OneLineConsole()
        try console.print("Hello")
        #expect(try console.ask("Name: ") == "Grace")
        #expect(console.output == "Hello\nName: ")
    }

    @Test("errors show the text that they were given")
    func errors() {
        #expect("\(UsageError("name a city"))" == "name a city")
        #expect(UsageError("name a city").fix == nil)
        #expect(UsageError("no city", fix: "name one").fix == "name one")
        #expect("\(ConsoleError("Broken pipe"))" == "Broken pipe")
    }
}
