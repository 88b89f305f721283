// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import FoundationEssentials

/// Answers the requests of the protocol, which Documentation/Examples/Users.md describes, with a service of users.
struct UsersAPI: Sendable {
    let users: any UserService
    let logger: Logger
    private let repeated = RepeatedRequests()

    init(users: any UserService, logger: Logger) {
        self.users = users
        self.logger = logger
    }

    /// Answers a request, whatever it is.
    func answer(_ request: HTTPRequest) async -> HTTPResponse {
        let response: HTTPResponse
        if let refusal = Self.refusal(of: request) {
            response = refusal
        } else if let key = request.fields["idempotency-key"], request.method != "GET" {
            response = await repeated.answer(request, key: key) { await routed(request) }
        } else {
            response = await routed(request)
        }
        // No query and no body: they have names and passwords.
        logger.info("\(request.method) /\(request.path.joined(separator: "/")) \(response.status)")
        return response
    }

    /// Refuses requests that a page in a browser could have made without being allowed to.
    private static func refusal(of request: HTTPRequest) -> HTTPResponse? {
        guard isThisMachine(request.fields["host"] ?? "") else {
            return refusal(421, "misdirected", "This server is 127.0.0.1 and localhost alone.")
        }
        let type = (request.fields["content-type"] ?? "").prefix { $0 != ";" }.lowercased()
        guard request.body.isEmpty || type == "application/json" else {
            return refusal(415, "badRequest", "The body has to be 'application/json'.")
        }
        return nil
    }

    /// Whether a client that was asked for this host asks this machine. What follows the name is a port and nothing
    /// else: in `127.0.0.1:x@example.com`, the name is that of the other machine.
    static func isThisMachine(_ host: String) -> Bool {
        let parts = host.split(separator: ":", omittingEmptySubsequences: false)
        let isPort = { (text: Substring) in
            UInt16(text) != nil && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard let name = parts.first, parts.count <= 2, parts.dropFirst().allSatisfy(isPort)
        else { return false }
        return name == "127.0.0.1" || name.lowercased() == "localhost"
    }

    private func routed(_ request: HTTPRequest) async -> HTTPResponse {
        do {
            switch (request.path.count, request.path.prefix(2)) {
            case (2, ["v1", "users"]) where request.method == "GET":
                return try await list(named: request.query["name"])
            case (2, ["v1", "users"]) where request.method == "POST":
                let new = try Self.decoded(CredentialsDocument.self, request.body)
                let user = try await users.register(name: new.name, password: new.password)
                return try Self.response(201, UserDocument(user))
            case (2, ["v1", "users"]): return Self.methodRefusal("GET, POST")
            case (2, ["v1", "login"]) where request.method == "POST":
                let login = try Self.decoded(CredentialsDocument.self, request.body)
                let user = try await users.logIn(name: login.name, password: login.password)
                return try Self.response(200, UserDocument(user))
            case (2, ["v1", "login"]): return Self.methodRefusal("POST")
            case (3, ["v1", "users"]):
                guard let id = Int(request.path[2]) else { break }
                return try await user(id, request)
            default: break
            }
            return Self.refusal(404, "unknownPath", "This server has nothing at this path.")
        } catch let error as UserServiceError {
            return Self.response(for: error)
        } catch let error as HTTPRequestError {
            return Self.refusal(error.status, "badRequest", error.message)
        } catch {
            // The words of a service's own errors may be about its inside.
            logger.error("\(error)")
            return Self.refusal(500, "internal", "The service of users failed.")
        }
    }

    private func list(named name: String?) async throws -> HTTPResponse {
        let found =
            if let name {
                [try await users.user(named: name)].compactMap(\.self)
            } else {
                try await users.users()
            }
        return try Self.response(200, UserListDocument(users: found.map(UserDocument.init)))
    }

    private func user(_ id: User.ID, _ request: HTTPRequest) async throws -> HTTPResponse {
        switch request.method {
        case "GET":
            guard let user = try await users.user(id) else {
                throw UserServiceError.unknownUser(id)
            }
            return try Self.response(200, UserDocument(user))
        case "PUT":
            let new = try Self.decoded(ChangeDocument.self, request.body)
            let user = User(id: id, name: new.name, email: new.email, color: new.color)
            return try Self.response(200, UserDocument(try await users.update(user)))
        default: return Self.methodRefusal("GET, PUT")
        }
    }

    // MARK: Documents

    private static func decoded<Document: Decodable>(
        _ type: Document.Type, _ body: [UInt8]
    ) throws(HTTPRequestError) -> Document {
        do {
            return try JSONDecoder().decode(type, from: Data(body))
        } catch {
            // The decoder's words may repeat what was sent, and that has passwords.
            throw HTTPRequestError(400, "The body is not the JSON object that this path takes.")
        }
    }

    private static func response(
        _ status: Int, _ document: some Encodable
    ) throws -> HTTPResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return HTTPResponse(status: status, body: Array(try encoder.encode(document)))
    }

    /// The answer to a request that is refused.
    static func refusal(_ status: Int, _ error: String, _ message: String) -> HTTPResponse {
        let document = RefusalDocument(error: error, message: message)
        return (try? response(status, document)) ?? HTTPResponse(status: status, body: [])
    }

    private static func methodRefusal(_ allowed: String) -> HTTPResponse {
        var response = refusal(405, "badRequest", "This path takes \(allowed).")
        response.fields["Allow"] = allowed
        return response
    }

    private static func response(for error: UserServiceError) -> HTTPResponse {
        let (status, name) =
            switch error {
            case .nameTaken: (409, "nameTaken")
            case .invalidName: (422, "invalidName")
            case .emptyPassword: (422, "emptyPassword")
            case .invalidPassword: (422, "invalidPassword")
            case .wrongPassword: (401, "wrongPassword")
            case .unknownUser: (404, "unknownUser")
            case .readOnly: (403, "readOnly")
            case .unavailable: (503, "unavailable")
            @unknown default: (500, "internal")
            }
        return refusal(status, name, error.description)
    }
}
