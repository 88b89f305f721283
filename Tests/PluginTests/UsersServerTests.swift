// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesSystem
import EavesTestSupport
import Foundation
import Synchronization
import Testing

@testable import UsersMemory
@testable import UsersServer

@Suite("The server of users", .onOwnThreads, .patiently)
struct UsersServerTests {
    private let lines = KeptLines()

    private func api(_ users: any UserService = UsersInMemory()) -> UsersAPI {
        UsersAPI(users: users, logger: lines.logger)
    }

    private func request(
        _ method: String, _ path: String, _ body: String = "", key: String? = nil,
        fields: [String: String] = [:]
    ) -> HTTPRequest {
        var request = HTTPRequest(
            method: method, path: path.split(separator: "/").map(String.init),
            fields: ["host": "localhost:1234", "content-type": "application/json"],
            body: Array(body.utf8))
        request.fields["idempotency-key"] = key
        request.fields.merge(fields) { $1 }
        return request
    }

    private func text(_ response: HTTPResponse) -> String {
        "\(response.status) " + String(decoding: response.body, as: UTF8.self)
    }

    /// Runs a server while a client runs, which blocks its thread.
    private func serve(
        _ handler: HTTPServer.Handler? = nil,
        _ client: @escaping @Sendable (HTTPServer) throws -> Void
    ) async throws {
        let api = api()
        try await withServer(handler ?? { await api.answer($0) }) { server in
            try await blocking { try client(server) }
        }
    }

    @Test("speaks the protocol")
    func protocolAnswers() async {
        let api = api()
        let grace = #"{"color":"","email":"","id":3,"name":"Grace"}"#
        for (request, answer) in [
            (
                request("POST", "v1/users", #"{"name":"Grace","password":"cobol"}"#),
                "201 " + grace
            ),
            (request("GET", "v1/users/3"), "200 " + grace),
            (
                request("POST", "v1/login", #"{"name":"Grace","password":"cobol"}"#),
                "200 " + grace
            ),
            (
                request("PUT", "v1/users/3", #"{"name":"Grace","email":"g@x/y","color":""}"#),
                #"200 {"color":"","email":"g@x/y","id":3,"name":"Grace"}"#
            ),
            (
                request("POST", "v1/users", #"{"name":"GRACE","password":"cobol"}"#),
                #"409 {"error":"nameTaken","message":"The name 'GRACE' is taken. "#
                    + #"Choose another one."}"#
            ),
        ] {
            #expect(text(await api.answer(request)) == answer)
        }
        var named = request("GET", "v1/users")
        named.query["name"] = "bob"
        #expect(
            text(await api.answer(named))
                == #"200 {"users":[{"color":"","email":"","id":2,"name":"Bob"}]}"#)
        named.query["name"] = "nobody"
        #expect(text(await api.answer(named)) == #"200 {"users":[]}"#)
    }

    @Test("refuses, with a status and a word for each reason")
    func refusals() async {
        let api = api()
        let credentials = { (name: String, password: String) in
            #"{"name":"\#(name)","password":"\#(password)"}"#
        }
        for (request, status, word) in [
            (request("POST", "v1/login", credentials("Alice", "x")), 401, "wrongPassword"),
            (request("POST", "v1/users", credentials(" ", "x")), 422, "invalidName"),
            (request("POST", "v1/users", credentials("Ada", "")), 422, "emptyPassword"),
            (
                request(
                    "POST", "v1/users", credentials("Ada", String(repeating: "x", count: 501))),
                422, "invalidPassword"
            ),
            (request("GET", "v1/users/77"), 404, "unknownUser"),
            (request("GET", "v1/users/x"), 404, "unknownPath"),
            (request("GET", "v2/users"), 404, "unknownPath"),
            (request("DELETE", "v1/users/1"), 405, "badRequest"),
            (request("POST", "v1/users", "{"), 400, "badRequest"),
            (request("POST", "v1/users", #"{"name":1}"#), 400, "badRequest"),
            (
                request("POST", "v1/users", "x", fields: ["content-type": "text/plain"]), 415,
                "badRequest"
            ),
            (
                request("GET", "v1/users", fields: ["host": "evil.example:80"]), 421,
                "misdirected"
            ),
        ] {
            let answer = text(await api.answer(request))
            #expect(answer.hasPrefix(#"\#(status) {"error":"\#(word)","#), "\(answer)")
        }
        let failing = self.api(FailingUsers())
        #expect(text(await failing.answer(request("GET", "v1/users"))).hasPrefix("500 "))
        #expect(
            text(
                await self.api(FixedUsers()).answer(
                    request("PUT", "v1/users/7", #"{"name":"A","email":"","color":""}"#))
            ).hasPrefix(#"403 {"error":"readOnly""#))
    }

    private struct FailingUsers: UserService {
        func users() async throws -> [User] { throw ConnectionFault(code: 0) }
    }

    @Test("does a request with a key once, and knows its answer again")
    func repeated() async throws {
        let users = UsersInMemory()
        let api = api(users)
        let body = #"{"name":"Grace","password":"cobol"}"#
        let first = await api.answer(request("POST", "v1/users", body, key: "1"))
        #expect(first.status == 201)
        #expect(await api.answer(request("POST", "v1/users", body, key: "1")) == first)
        #expect(await api.answer(request("POST", "v1/users", body, key: "2")).status == 409)
        let other = #"{"name":"Edsger","password":"goto"}"#
        #expect(await api.answer(request("POST", "v1/users", other, key: "1")).status == 422)
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    await api.answer(self.request("POST", "v1/users", other, key: "3")).status
                }
            }
            for await status in group { #expect(status == 201) }
        }
        #expect(try await users.users().map(\.name) == ["Alice", "Bob", "Grace", "Edsger"])
    }

    @Test("logs paths, and neither names nor passwords")
    func logs() async {
        let body = #"{"name":"Grace","password":"cobol"}"#
        _ = await api().answer(request("POST", "v1/users", body))
        _ = await api().answer(request("POST", "v1/login", body))
        _ = await api().answer(request("POST", "v1/login", body + "}"))
        #expect(
            lines.all == ["POST /v1/users 201", "POST /v1/login 401", "POST /v1/login 400"])
    }

    @Test("answers several requests of a connection, in order, and then its end")
    func connection() async throws {
        try await serve { server in
            let connection = try RawConnection(to: server.port)
            let host = "Host: 127.0.0.1:\(server.port)\r\n"
            connection.send("GET /v1/users/1 HTTP/1.1\r\n\(host)\r\n")
            #expect(connection.readAnswer().hasSuffix(#""id":1,"name":"Alice"}"#))
            for character in "GET /v1/users/2 HTTP/1.1\r\n\(host)\r\n".utf8 {
                connection.send(String(UnicodeScalar(character)))
            }
            #expect(connection.readAnswer().hasSuffix(#""id":2,"name":"Bob"}"#))
            connection.send(
                "GET /1 HTTP/1.1\r\n\(host)\r\nGET /2 HTTP/1.1\r\n\(host)Connection: close\r\n\r\n"
            )
            let rest = connection.readAll()
            #expect(rest.split(separator: "HTTP/1.1 404 Not Found").count == 2)
            #expect(rest.contains("Connection: close"))
        }
    }

    @Test("ends a connection on which it cannot tell requests apart, with the reason")
    func malformed() async throws {
        try await serve { server in
            for (text, status) in [
                ("rubbish\r\n\r\nGET / HTTP/1.1\r\n", 400),
                ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n", 413),
                ("GET /" + String(repeating: "x", count: 100_000), 431),
            ] {
                let connection = try RawConnection(to: server.port)
                connection.send(text)
                let answer = connection.readAll()
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
                #expect(answer.contains("Connection: close"))
            }
            let gone = try RawConnection(to: server.port)
            gone.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12")
            let waiting = try RawConnection(to: server.port)
            waiting.send(
                "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
            )
            #expect(waiting.readAnswer().hasPrefix("HTTP/1.1 100 Continue\r\n\r\n"))
        }
    }

    @Test(
        "serves several connections at once, and for a further one ends that which was silent longest"
    )
    func connections() async throws {
        Descriptors.allowMany()
        try await serve { server in
            // Each of them has sent half a request, and keeps its place.
            let half = "GET /v1/users/1 HTTP/1.1\r\nHost: localhost\r\n"
            var open = try (0..<HTTPServer.connectionLimit).map { _ in
                let connection = try RawConnection(to: server.port)
                connection.send(half)
                return connection
            }
            // A thousand more send nothing at all, and the server answers the next client nevertheless.
            for _ in 0..<1000 { open.append(try RawConnection(to: server.port)) }
            let further = try RawConnection(to: server.port)
            further.send(half + "\r\n")
            #expect(further.readAnswer().hasSuffix("\"Alice\"}"))
            for ended in open.prefix(1000) { #expect(ended.readAll() == "") }
            for kept in open.suffix(HTTPServer.connectionLimit - 1) {
                kept.send(half + "\r\n")
                #expect(kept.readAnswer().hasSuffix("\"Alice\"}"))
            }
        }
    }

    @Test("answers what clients send that cannot know that it stops, and says so")
    func stopping() async throws {
        let api = api()
        try await withServer({ await api.answer($0) }, partingTime: Patience.seconds) {
            server, stop in
            try await blocking {
                let request = "GET /v1/users/1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
                let new = try RawConnection(to: server.port)
                let begun = try RawConnection(to: server.port)
                begun.send(String(request.prefix(10)))
                let idle = try RawConnection(to: server.port)
                idle.send(request)
                // The server takes connections in their order, so it has all of them.
                #expect(!idle.readAnswer().contains("Connection: close"))
                stop()
                // This client has sent nothing that is still on its way.
                #expect(idle.readAll() == "")
                begun.send(String(request.dropFirst(10)))
                new.send(request)
                for connection in [begun, new] {
                    let answer = connection.readAll()
                    #expect(answer.hasPrefix("HTTP/1.1 200 OK"))
                    #expect(answer.contains("Connection: close"))
                }
            }
        }
    }

    @Test("refuses more requests than it can answer at once")
    func answers() async throws {
        let asked = Mutex(0)
        let mayAnswer = Mutex(false)
        let handler: HTTPServer.Handler = { _ in
            asked.withLock { $0 += 1 }
            try? Patience.wait(for: "leave to answer") { mayAnswer.withLock(\.self) }
            return HTTPResponse(status: 200, body: [])
        }
        try await serve(handler) { server in
            let open = try (0..<HTTPServer.connectionLimit).map { _ in
                let connection = try RawConnection(to: server.port)
                connection.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return connection
            }
            try Patience.wait(for: "all requests to be under way") {
                asked.withLock { $0 == open.count }
            }
            #expect(
                try RawConnection(to: server.port).readAll()
                    .hasPrefix("HTTP/1.1 503 Service Unavailable"))
            mayAnswer.withLock { $0 = true }
            for connection in open {
                #expect(connection.readAnswer().hasPrefix("HTTP/1.1 200 OK"))
            }
        }
    }

    @Test(
        "knows its own names alone",
        arguments: [
            ("127.0.0.1", true), ("127.0.0.1:80", true), ("LOCALHOST:65535", true),
            ("127.0.0.1:x@evil.example", false), ("127.0.0.1:80@evil.example", false),
            ("127.0.0.1:80:80", false), ("127.0.0.1:", false), ("localhost:+80", false),
            ("localhost:65536", false), ("", false), (":80", false),
        ])
    func names(host: String, isOurs: Bool) {
        #expect(UsersAPI.isThisMachine(host) == isOurs)
    }

    @Test("says why it cannot listen")
    func portInUse() async throws {
        try await withServer({ _ in HTTPResponse(status: 200, body: []) }) { server in
            let error = #expect(throws: HTTPServerError.self) {
                try HTTPServer.listen(onPort: server.port)
            }
            #expect(
                error?.description == "the port \(server.port) is in use. "
                    + "Choose another one, or 0 for any that is free.")
        }
    }

    @Test("lets the host keep the socket of a port that was chosen, until it ends")
    func keptSocket() async throws {
        let api = api()
        let free = { try await withServer({ await api.answer($0) }) { $0.port } }
        var ports = [try await free(), 0]
        while let port = ports.first {
            let listeners = NotedListeners()
            let server = ServeUsers(
                users: UsersInMemory(), listeners: listeners, logger: lines.logger)
            let launch = Launch(
                arguments: ["--port", "\(port)"], console: ScriptedConsole())
            let ended = Awaited<Bool>()
            let running = Task(executorPreference: OtherThreads()) {
                defer { ended.set(true) }
                return try await server.launch(launch)
            }
            try await blocking {
                try Patience.wait(for: "the server") {
                    listeners.notes.last == "ready" || ended.wait(within: .zero) == true
                }
            }
            running.cancel()
            do {
                let code = try await running.value
                #expect(code == .success)
            } catch let error as HTTPServerError where error.code == EADDRINUSE && port != 0 {
                // Another process has the port by now.
                ports[0] = try await free()
                continue
            }
            ports.removeFirst()
            let made = port == 0 ? [] : ["made serve-users-\(port)"]
            #expect(listeners.notes == made + ["ready", "dropped serve-users-\(port)"])
        }
    }

    @Test("takes a port that there is")
    func ports() async throws {
        for port in ["70000", "-1", "x"] {
            let launch = Launch(arguments: ["--port", port], console: ScriptedConsole())
            await #expect(throws: UsageError.self) {
                try await ServeUsers(
                    users: UsersInMemory(), listeners: NotedListeners(),
                    logger: self.lines.logger
                ).launch(launch)
            }
        }
    }
}
