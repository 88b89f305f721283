// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Foundation
import Testing
import EavesTestSupport

@testable import UsersREST
@testable import UsersServer

@Suite("The users over REST", .promptly, .patiently)
struct UsersRESTTests {
    private static let grace = #"{"id":3,"name":"Grace","email":"","color":""}"#

    private func users(of server: HTTPServer, timeout: Double = 600) throws -> UsersOverREST {
        let address = try ServiceAddress("http://127.0.0.1:\(server.port)")
        return UsersOverREST(client: RESTClient(address, timeout: .seconds(timeout)))
    }

    private func json(
        _ status: Int, _ text: String, _ fields: [String: String] = [:]
    ) -> HTTPResponse {
        HTTPResponse(status: status, body: Array(text.utf8), fields: fields)
    }

    /// The error of a call to a service whose every answer is this one.
    private func error(
        of answer: HTTPResponse, _ call: (UsersOverREST) async throws -> Void
    ) async throws -> UserServiceError? {
        try await withServer({ _ in answer }) { server in
            await #expect(throws: UserServiceError.self) {
                try await call(self.users(of: server))
            }
        }
    }

    /// The requests that a service gets whose every answer is this one.
    private func requests(
        answered answer: HTTPResponse, _ body: (HTTPServer) async throws -> Void
    ) async throws -> [HTTPRequest] {
        let requests = KeptRequests()
        try await withServer({ request in
            _ = requests.add(request)
            return answer
        }) { try await body($0) }
        return requests.all
    }

    @Test("turns the answers of the service into the errors of the contract")
    func refusals() async throws {
        let cases: [(Int, String, UserServiceError)] = [
            (409, "nameTaken", .nameTaken("Ada")), (401, "wrongPassword", .wrongPassword),
            (404, "unknownUser", .unknownUser(7)), (422, "invalidName", .invalidName("Ada")),
            (422, "emptyPassword", .emptyPassword), (403, "readOnly", .readOnly),
            (422, "invalidPassword", .invalidPassword),
        ]
        for (status, word, expected) in cases {
            let answer = json(status, #"{"error":"\#(word)"}"#)
            let found = try await error(of: answer) {
                _ = try await $0.update(User(id: 7, name: "Ada"))
            }
            #expect(found == expected)
        }
    }

    @Test("says in words what is no answer of the protocol")
    func wrongAnswers() async throws {
        for (answer, words) in [
            (json(200, "<html>"), "answered with a text that is not of this protocol"),
            (json(200, #"{"users":[{"id":"1"}]}"#), "answered with a text that is not of this"),
            (json(404, "<html>"), "answered with the status 404."),
            (json(500, #"{"error":"x","message":"Oh."}"#), "answered with the status 500: Oh."),
            (json(204, ""), "answered with the status 204."),
        ] {
            let error = try await error(of: answer) { _ = try await $0.users() }
            guard case .unavailable(let reason)? = error else {
                Issue.record("expected 'unavailable', found \(String(describing: error))")
                continue
            }
            #expect(reason.contains(words), "\(reason)")
            #expect(reason.hasPrefix("http://127.0.0.1:"))
        }
    }

    @Test("asks again after a failure that passes, with the same key")
    func retries() async throws {
        let requests = KeptRequests()
        try await withServer({ request in
            requests.add(request) < 2 ? self.json(503, "{}") : self.json(201, Self.grace)
        }) { server in
            let user = try await self.users(of: server)
                .register(name: "Grace", password: "cobol")
            #expect(user == User(id: 3, name: "Grace"))
        }
        #expect(requests.all.count == 3)
        let keys = Set(requests.all.map { $0.fields["idempotency-key"] })
        #expect(keys.count == 1)
        #expect(keys.first??.isEmpty == false)
    }

    @Test("gives up after three attempts")
    func givesUp() async throws {
        let answer = json(503, #"{"error":"unavailable","message":"Later."}"#)
        let requests = try await requests(answered: answer) { server in
            let users = try self.users(of: server)
            let reason = "http://127.0.0.1:\(server.port)/ answered with the status 503: Later."
            await #expect(throws: UserServiceError.unavailable(reason)) {
                try await users.users()
            }
        }
        #expect(requests.count == 3)
    }

    @Test("sends a login once, because nobody can tell whether it was counted")
    func once() async throws {
        let requests = try await requests(answered: json(503, "{}")) { server in
            let users = try self.users(of: server)
            await #expect(throws: UserServiceError.self) {
                try await users.logIn(name: "Grace", password: "cobol")
            }
        }
        #expect(requests.count == 1)
        #expect(requests[0].fields["idempotency-key"] == nil)
    }

    @Test("follows nobody to another place")
    func redirection() async throws {
        let requests = try await requests(answered: json(200, Self.grace)) { elsewhere in
            let place = "http://127.0.0.1:\(elsewhere.port)/v1/login"
            let answer = self.json(307, "{}", ["Location": place])
            let error = try await self.error(of: answer) {
                _ = try await $0.logIn(name: "Grace", password: "cobol")
            }
            guard case .unavailable(let reason)? = error else {
                Issue.record("expected another error than \(String(describing: error))")
                return
            }
            #expect(reason.contains("answered with the status 307"))
        }
        #expect(requests.isEmpty)
    }

    @Test("says that nothing answers, and that an answer takes too long")
    func down() async throws {
        let port = try SilentPort()
        let address = try ServiceAddress("http://127.0.0.1:\(port.number)/")
        let users = UsersOverREST(client: RESTClient(address, timeout: .seconds(60)))
        await #expect(
            throws: UserServiceError.unavailable(
                "nothing answers at http://127.0.0.1:\(port.number)/.")
        ) { try await users.users() }
        withExtendedLifetime(port) {}

        let (gate, open) = AsyncStream<Never>.makeStream()
        try await withServer({ _ in
            for await _ in gate {}
            return self.json(200, "{}")
        }) { server in
            let users = try self.users(of: server, timeout: 0.5)
            await #expect(
                throws: UserServiceError.unavailable(
                    "http://127.0.0.1:\(server.port)/ did not answer within 0.5 seconds.")
            ) { try await users.users() }
            open.finish()
        }
    }

    @Test("ends with its task")
    func cancelled() async throws {
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        let (gate, open) = AsyncStream<Never>.makeStream()
        try await withServer({ _ in
            arrived.yield()
            for await _ in gate {}
            return self.json(200, "{}")
        }) { server in
            let users = try self.users(of: server)
            let call = Task { try await users.users() }
            for await _ in arrivals { break }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            open.finish()
        }
    }

    @Test("takes addresses to which it can send passwords")
    func addresses() throws {
        for text in [
            "https://users.example.org", "https://users.example.org:8443/api/",
            "http://localhost:80", "http://127.0.0.1", "http://[::1]:8080",
        ] {
            #expect(try ServiceAddress(text).base.absoluteString.hasSuffix("/"))
        }
        #expect(throws: Never.self) {
            try ServiceAddress("http://users.example.org", allowsHTTP: true)
        }
        for text in [
            "http://users.example.org", "http://127.example.org", "http://127.0.0.1.x",
        ] {
            #expect(throws: RESTSettingsError.unencrypted(text)) { try ServiceAddress(text) }
        }
        for text in [
            "", "users.example.org", "ftp://a", "https://a:b@c", "https://a?b", "https://",
        ] {
            #expect(throws: RESTSettingsError.url(text)) { try ServiceAddress(text) }
        }
    }

    @Test("says that it has no address")
    func noAddress() async {
        await #expect(
            throws: UserServiceError.unavailable(
                "users-rest has no address. "
                    + "Set 'url' in the settings of users-rest in manifest.json.")
        ) { try await UsersOverREST(client: nil).users() }
    }
}
