// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface

// The JSON documents of the protocol, as Documentation/Examples/Users.md describes them.

/// A user, in answers.
struct UserDocument: Codable {
    let id: Int
    let name: String
    let email: String
    let color: String

    var user: User { User(id: id, name: name, email: email, color: color) }
}

/// The answer with several users.
struct UserListDocument: Codable {
    let users: [UserDocument]
}

/// A name and a password, in requests.
struct CredentialsDocument: Codable {
    let name: String
    let password: String
}

/// The part of a user that can be changed, in requests.
struct ChangeDocument: Codable {
    let name: String
    let email: String
    let color: String
}

/// The answer to a request that was refused.
struct RefusalDocument: Codable {
    /// Why, in one word of the protocol, such as `nameTaken`.
    let error: String
    /// Why, for a person; `nil` if the service does not say.
    let message: String?
}
