// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface

// The JSON documents of the protocol, as Documentation/Examples/Users.md describes them.

/// A user, in answers.
struct UserDocument: Encodable {
    let id: Int
    let name: String
    let email: String
    let color: String

    init(_ user: User) {
        (id, name, email, color) = (user.id, user.name, user.email, user.color)
    }
}

/// The answer with several users.
struct UserListDocument: Encodable {
    let users: [UserDocument]
}

/// A name and a password, in requests.
struct CredentialsDocument: Decodable {
    let name: String
    let password: String
}

/// The part of a user that can be changed, in requests.
struct ChangeDocument: Decodable {
    let name: String
    let email: String
    let color: String
}

/// The answer to a request that was refused.
struct RefusalDocument: Encodable {
    /// Why, in one word of the protocol, such as `nameTaken`.
    let error: String
    /// Why, for a person.
    let message: String
}
