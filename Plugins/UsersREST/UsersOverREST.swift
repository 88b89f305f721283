// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import Foundation

/// Knows the users of a service, which it asks by HTTP.
struct UsersOverREST: UserService {
    /// `nil` if the settings have no address.
    let client: RESTClient?

    func users() async throws -> [User] {
        let answer = try await send(RESTRequest("GET", ["v1", "users"]))
        guard answer.status == 200 else { throw refusal(answer) }
        return try answer.decoded(UserListDocument.self).users.map(\.user)
    }

    func user(named name: String) async throws -> User? {
        let answer = try await send(RESTRequest("GET", ["v1", "users"], query: ["name": name]))
        guard answer.status == 200 else { throw refusal(answer) }
        return try answer.decoded(UserListDocument.self).users.first?.user
    }

    func user(_ id: User.ID) async throws -> User? {
        let answer = try await send(RESTRequest("GET", ["v1", "users", "\(id)"]))
        if answer.status == 200 { return try answer.decoded(UserDocument.self).user }
        let refusal = refusal(answer, id: id)
        guard refusal == .unknownUser(id) else { throw refusal }
        return nil
    }

    func register(name: String, password: String) async throws -> User {
        // A name or password that no service accepts is not sent.
        let name = try UserServiceError.checked(name: name)
        guard !password.isEmpty else { throw UserServiceError.emptyPassword }
        let answer = try await send(
            RESTRequest(
                "POST", ["v1", "users"],
                body: CredentialsDocument(name: name, password: password), isRepeatable: true))
        guard answer.status == 201 else { throw refusal(answer, name: name) }
        return try answer.decoded(UserDocument.self).user
    }

    func logIn(name: String, password: String) async throws -> User {
        let answer = try await send(
            RESTRequest(
                "POST", ["v1", "login"],
                body: CredentialsDocument(name: name, password: password)))
        guard answer.status == 200 else { throw refusal(answer, name: name) }
        return try answer.decoded(UserDocument.self).user
    }

    func update(_ user: User) async throws -> User {
        let name = try UserServiceError.checked(name: user.name)
        let answer = try await send(
            RESTRequest(
                "PUT", ["v1", "users", "\(user.id)"],
                body: ChangeDocument(name: name, email: user.email, color: user.color),
                isRepeatable: true))
        guard answer.status == 200 else { throw refusal(answer, name: name, id: user.id) }
        return try answer.decoded(UserDocument.self).user
    }

    private func send(_ request: RESTRequest) async throws -> RESTAnswer {
        guard let client else {
            throw UserServiceError.unavailable(
                "users-rest has no address. Set 'url' in the settings of users-rest in manifest.json."
            )
        }
        return try await client.send(request)
    }

    /// The error for an answer that is not the one that was asked for.
    ///
    /// - Parameters:
    ///   - name: The name in the request.
    ///   - id: The id in the request.
    private func refusal(
        _ answer: RESTAnswer, name: String = "", id: User.ID? = nil
    ) -> UserServiceError {
        let document = try? answer.decoded(RefusalDocument.self)
        switch (answer.status, document?.error) {
        case (401, _): return .wrongPassword
        case (403, "readOnly"): return .readOnly
        case (404, "unknownUser"): if let id { return .unknownUser(id) }
        case (409, _): return .nameTaken(name)
        case (422, "invalidName"): return .invalidName(name)
        case (422, "emptyPassword"): return .emptyPassword
        case (422, "invalidPassword"): return .invalidPassword
        default: break
        }
        let words = document?.message.map { ": \($0)" } ?? "."
        return .unavailable("\(answer.place) answered with the status \(answer.status)\(words)")
    }
}
