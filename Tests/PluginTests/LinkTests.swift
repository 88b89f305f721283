// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import Testing
import Utility
import EavesTestSupport

@Suite("Links", .onOwnThreads)
struct LinkTests {
    @Test("a link has steps, each with its own parameters")
    func steps() throws {
        let steps = try Link.steps(
            of: "eaves://login/home;user=2/popup?message=Hello%20you&x=%2F")
        #expect(
            steps == [
                Link("login"), Link("home", ["user": "2"]),
                Link("popup", ["message": "Hello you", "x": "/"]),
            ])
    }

    @Test("what is written is read again, whatever characters it has")
    func roundTrip() throws {
        let steps = [Link("a b", ["k;/?&=%": "ü\n🙂;/?&=%25"]), Link("c")]
        #expect(try Link.steps(of: Link.url(of: steps)) == steps)
    }

    @Test(
        "a text that is no link is refused with the reason",
        arguments: [
            ("popup", "'popup' is no link"), ("http://popup", "'http://popup' is no link"),
            ("eaves://", "the link 'eaves://' names no screen"),
            ("eaves://;a=1", "the link 'eaves://;a=1' names no screen"),
            ("eaves://a?b", "the link 'eaves://a?b' has a parameter without a value, 'b'"),
            ("eaves://a;b=1?b=2", "the link 'eaves://a;b=1?b=2' has the parameter 'b' twice"),
            (
                "eaves://a?b=%2",
                "the link 'eaves://a?b=%2' has '%2', where '%' is not followed by the digits of a "
                    + "letter"
            ),
        ])
    func refused(_ url: String, _ message: String) {
        let error = #expect(throws: LinkError.self) { try Link.steps(of: url) }
        #expect(error?.description == message)
        #expect(error?.fix.isEmpty == false)
    }

    @Test("parameters are checked, and all that is wrong is told at once")
    func parameters() throws {
        let declared: [LinkParameter] = [.required("message"), .optional("user", .number)]
        try Link("popup", ["message": "x", "user": "7"]).check(against: declared)
        let error = #expect(throws: LinkError.self) {
            try Link("popup", ["user": "x", "massage": "x"]).check(against: declared)
        }
        #expect(
            error?.description
                == "cannot open 'popup': the parameter 'message' is missing, and 'user' is 'x', "
                + "which is no whole number, and it takes no parameter 'massage'")
        #expect(error?.fix == "open 'eaves://popup?message=text&user=1'")
    }

    @Test("colours have three or six digits")
    func colors() {
        #expect(Color(hex: "#36c")?.hex == "#3366cc")
        #expect(Color(hex: "3366CC")?.nearestName == "blue")
        for text in ["", "#", "#12345", "#1234567", "blue", "#٣٣٣"] {
            #expect(Color(hex: text) == nil)
        }
    }
}
