// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Foundation
import Glibc
import Synchronization
import Testing

@testable import EndToEndSupport

/// The module `renderer-web` as programs without a browser see it: real pages of a real server.
@Suite(
    "pages of renderer-web", .onOwnThreads,
    .enabled(if: ServedScreens.isPossible, "needs libmicrohttpd12"),
    .patiently)
struct WebRendererTests {
    @Test("lead through an application, and end with it")
    func flow() throws {
        let screens = try ServedScreens()
        let form = try screens.get()
        #expect(form.status == 200)
        #expect(form.headers["cache-control"] == "no-store")
        #expect(form.headers["content-security-policy"]?.hasPrefix("default-src 'none'; ") == true)
        #expect(form.text.contains("<h1 id=\"title\">Log in</h1>"))
        #expect(form.text.contains("value=\"Ada &lt;Lovelace&gt; &amp; &quot;Co&quot;\""))
        let posted = try screens.post(
            "page=1&do=a0&f%3Aname=Ada+%26+Co&f:password=s3cret&f:language=de")
        #expect(posted.status == 303)
        #expect(posted.headers["location"] == screens.root)
        let list = try screens.get()
        #expect(
            list.text.contains(
                "role=\"alert\" id=\"notice\"><strong>Problem:</strong> Welcome &lt;script&gt;"))
        #expect(list.text.contains("Bob &lt;script&gt;"))
        #expect(!list.text.contains("<script"))
        // Neither a page with fields nor one with rows goes away by itself.
        #expect(!form.text.contains("http-equiv") && !list.text.contains("http-equiv"))
        #expect(!list.text.contains("red;"))
        #expect(list.text.contains(".c3366cc{background:#3366cc}"))
        let dialogue = try screens.submit("page=2&do=r2.1")
        #expect(dialogue.text.contains("<section role=\"dialog\" aria-labelledby=\"title\">"))
        #expect(try screens.submit("page=3&do=back").text.contains("Log in</h1>"))
        let last = try screens.submit("page=4&do=quit")
        #expect(last.status == 200)
        #expect(last.text.contains("You can close this window."))
        let outcome = try screens.finish()
        #expect(outcome.code == 0, "\(outcome)")
        #expect(
            outcome.lines == [
                "action log-in language='de' name='Ada & Co' password='s3cret'",
                "row 2 of users", "back",
                "quit language='en' name='Ada <Lovelace> & \"Co\"' password=''",
            ])
    }

    @Test("come from this machine only, and from an address that nobody can guess")
    func address() throws {
        let screens = try ServedScreens()
        #expect(screens.root.utf8.count == 34)
        let port = String(screens.http.port, radix: 16, uppercase: true)
        // The listening sockets of the machine: address, port, 0A for listening.
        // The system makes the list piece by piece: while other tests open thousands, it can lack one.
        var ours: [String] = []
        try Patience.wait(for: "the port \(port) in the list") {
            let sockets = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)
            ours = sockets.split(separator: "\n").compactMap { line -> String? in
                let words = line.split(separator: " ").map(String.init)
                return words.count > 3 && words[3] == "0A" && words[1].hasSuffix(":" + port)
                    ? words[1] : nil
            }
            return !ours.isEmpty
        }
        #expect(ours == ["0100007F:" + port])
        #expect(try screens.root != ServedScreens().root)
    }

    @Test("take no forms from other pages, none that are too large, and no other methods")
    func refusals() throws {
        let screens = try ServedScreens()
        let quit = "page=1&do=quit"
        for headers in [
            ["Origin": "null"], ["Referer": "http://evil.example/"],
            ["Sec-Fetch-Site": "same-site"],
        ] {
            #expect(try screens.post(quit, headers: headers).status == 403, "\(headers)")
        }
        // The renderer knows no path without the secret, and no other name of the machine.
        #expect(try screens.http.send("POST", "/", body: quit).status == 404)
        #expect(try screens.post(quit, headers: ["Host": "evil.example"]).status == 404)
        #expect(try screens.post(quit, headers: ["Content-Type": "text/plain"]).status == 415)
        let chunked =
            "POST \(screens.root) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            + "Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(try screens.http.exchange(Data(chunked.utf8)).status == 411)
        // A length that is short, and a body in pieces that is not.
        let both = chunked.replacing("\r\nTransfer-", with: "\r\nContent-Length: 5\r\nTransfer-")
        #expect(try screens.http.exchange(Data(both.utf8)).status != 200)
        let twoHosts =
            "GET \(screens.root) HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n"
        #expect([400, 404].contains(try screens.http.exchange(Data(twoHosts.utf8)).status))
        let large = "page=1&do=quit&x=" + String(repeating: "x", count: 256 << 10)
        #expect(
            try screens.post(String(large.prefix(20)), headers: ["Content-Length": "262145"]).status
                == 413)
        #expect(try screens.http.send("PUT", screens.root).status == 405)
        #expect(try screens.http.send("HEAD", screens.root).status == 200)
        #expect(try screens.post("page=1&do=a9").status == 400)
        #expect(try screens.post("do=quit").status == 400)
        // After all that, the page is the one that it was, and a large form within the limit counts.
        let body = "page=1&do=a0&f:name=" + String(repeating: "%41", count: 80_000)
        #expect(try screens.submit(body).text.contains(String(repeating: "A", count: 80_000)))
    }

    @Test("tell that the application works, and go on by themselves")
    func waiting() throws {
        let screens = try ServedScreens()
        let working = try screens.submit("page=1&do=a1")
        #expect(working.text.contains("<meta http-equiv=\"refresh\" content=\"1;url=wait-0\">"))
        #expect(working.text.contains("role=\"status\""))
        // A second tab waits at the same time.
        let (http, root) = (screens.http, screens.root)
        let tab = Awaited<String>()
        Thread.detachNewThread {
            tab.set("\(Result { try http.send("GET", root + "wait-0").status })")
        }
        try screens.goOn()
        let next = try screens.get("wait-0")
        #expect(next.status == 303)
        #expect(next.headers["location"] == screens.root)
        #expect(tab.wait(within: Patience.limit) == "success(303)")
        #expect(try screens.get().text.contains("Users</h1>"))
    }

    @Test("are there for their reader while slow connections of the same user are open")
    func slowConnections() throws {
        try Self.expectPages { $0.open() }
    }

    @Test(
        "are there for their reader while slow connections of another user are open",
        .enabled(if: geteuid() == 0, "needs root"))
    func slowConnectionsOfOthers() throws {
        try Self.expectPages { slow in try OtherUser.run { slow.open() } }
    }

    private static func expectPages(opening open: (SlowConnections) throws -> Void) throws {
        let screens = try ServedScreens()
        let slow = SlowConnections(to: screens.http.port)
        defer { slow.end() }
        try open(slow)
        #expect(slow.openCount == SlowConnections.count)
        #expect(try screens.get().text.contains("Log in</h1>"))
        #expect(try screens.submit("page=1&do=a0").text.contains("Users</h1>"))
        // Those that came last have not been silent for the longest time.
        #expect(try slow.finishLast().hasPrefix("HTTP/1.1 404 "))
    }
}

/// Connections that send a head each that never ends: a line of it every few seconds, so that none is idle.
private final class SlowConnections: Sendable {
    /// More than the renderer holds at once.
    static let count = 2000

    private let port: UInt16
    private let descriptors = Mutex<[Int32]>([])
    private let isOver = Awaited<Bool>()

    init(to port: UInt16) {
        self.port = port
        Descriptors.allowMany()
        Thread.detachNewThread { [self] in
            while isOver.wait(within: .seconds(5)) == nil {
                descriptors.withLock { for open in $0 { Self.send("X-Slow: yes\r\n", on: open) } }
            }
        }
    }

    var openCount: Int { descriptors.withLock { $0.count } }

    /// Opens them, on the calling thread.
    func open() {
        for _ in 0..<Self.count {
            guard let descriptor = try? LoopbackHTTP.connect(to: "127.0.0.1", port: port) else {
                return
            }
            Self.send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", on: descriptor)
            descriptors.withLock { $0.append(descriptor) }
        }
    }

    /// Sends the rest of the last request.
    ///
    /// - Returns: The beginning of the response.
    func finishLast() throws -> String {
        guard let last = descriptors.withLock(\.last) else { throw FixtureError("none is open") }
        Self.send("\r\n", on: last)
        var bytes = [UInt8](repeating: 0, count: 64)
        let received = recv(last, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, received)), as: UTF8.self)
    }

    func end() {
        isOver.set(true)
        descriptors.withLock { descriptors in
            for descriptor in descriptors { close(descriptor) }
            descriptors = []
        }
    }

    private static func send(_ text: String, on descriptor: Int32) {
        _ = Array(text.utf8).withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }
}
