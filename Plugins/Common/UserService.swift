// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Knows the users.
///
/// All implementations keep one contract: names are unique without regard to case, and are kept as they were
/// written; a name is found in any case; a password is kept as a ``PasswordHash``, and is never returned. An
/// implementation that only lists users leaves out the rest.
public protocol UserService: Sendable {
    /// Returns all users, in ascending order of their ids.
    func users() async throws -> [User]

    /// Returns the user with a name in any case, or `nil` if there is none.
    func user(named name: String) async throws -> User?

    /// Returns the user with an id, or `nil` if there is none.
    func user(_ id: User.ID) async throws -> User?

    /// Adds a user.
    ///
    /// - Parameters:
    ///   - name: The name, which no other user has.
    ///   - password: The password; it is not empty.
    /// - Returns: The user, with an id that was never used before.
    /// - Throws: ``UserServiceError``.
    func register(name: String, password: String) async throws -> User

    /// Returns the user with this name and this password.
    ///
    /// - Throws: ``UserServiceError/wrongPassword`` if there is none, without saying which of the two
    ///   is wrong.
    func logIn(name: String, password: String) async throws -> User

    /// Saves name, address and colour of the user with this id.
    ///
    /// - Returns: The user as saved.
    /// - Throws: ``UserServiceError``.
    func update(_ user: User) async throws -> User
}

extension UserService {
    /// The default searches all users.
    public func user(named name: String) async throws -> User? {
        let folded = User.folded(name: name)
        return try await users().first { User.folded(name: $0.name) == folded }
    }

    /// The default searches all users.
    public func user(_ id: User.ID) async throws -> User? {
        try await users().first { $0.id == id }
    }

    /// The default throws ``UserServiceError/readOnly``.
    public func register(name: String, password: String) async throws -> User {
        throw UserServiceError.readOnly
    }

    /// The default knows no passwords, and throws ``UserServiceError/wrongPassword``.
    public func logIn(name: String, password: String) async throws -> User {
        throw UserServiceError.wrongPassword
    }

    /// The default throws ``UserServiceError/readOnly``.
    public func update(_ user: User) async throws -> User {
        throw UserServiceError.readOnly
    }
}

/// A person who can log in.
public struct User: Hashable, Sendable, Identifiable, Codable {
    /// Unique among the users of one service.
    public let id: Int
    /// The person's name.
    public var name: String
    /// The person's address; empty if it is not known.
    public var email: String
    /// The person's colour, such as `#3366cc`; empty if none was chosen.
    public var color: String

    /// Creates a user.
    ///
    /// - Parameters:
    ///   - id: Unique among the users of one service.
    ///   - name: The person's name.
    public init(id: Int, name: String) {
        self.init(id: id, name: name, email: "", color: "")
    }

    /// Creates a user.
    ///
    /// - Parameters:
    ///   - id: Unique among the users of one service.
    ///   - name: The person's name.
    ///   - email: The person's address; empty if it is not known.
    ///   - color: The person's colour, such as `#3366cc`; empty if none was chosen.
    public init(id: Int, name: String, email: String, color: String) {
        self.id = id
        self.name = name
        self.email = email
        self.color = color
    }
}

/// A request that a user service refuses. Its words are for the person.
public enum UserServiceError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// Another user has the name.
    case nameTaken(String)
    /// The name is empty, or has characters that a name cannot have.
    case invalidName(String)
    /// The password is empty.
    case emptyPassword
    /// The password is longer than ``PasswordHash`` takes, or has a zero byte.
    case invalidPassword
    /// No user has this name and this password.
    case wrongPassword
    /// There is no user with this id.
    case unknownUser(User.ID)
    /// The service lists users, and cannot change them.
    case readOnly
    /// The service cannot be reached, or does not work; the text says why.
    case unavailable(String)

    /// The reason, for the person.
    public var description: String {
        switch self {
        case .nameTaken(let name): "The name '\(name)' is taken. Choose another one."
        case .invalidName(let name):
            "'\(name)' cannot be a name. A name is one line of 1 to 64 characters."
        case .emptyPassword: "The password is empty. Choose one."
        case .invalidPassword:
            "The password cannot be kept. A password has at most 500 bytes, and none of them is zero."
        case .wrongPassword: "The name or the password is wrong."
        case .unknownUser(let id): "There is no user with the number \(id) any more."
        case .readOnly: "These users cannot be changed."
        case .unavailable(let reason): "The users cannot be reached: \(reason)"
        }
    }

    /// Checks a name, so that all services accept the same ones.
    ///
    /// - Returns: The name without spaces at its ends.
    /// - Throws: ``invalidName(_:)``.
    public static func checked(name: String) throws(UserServiceError) -> String {
        let trimmed = String(
            name.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        let isLine = trimmed.unicodeScalars.allSatisfy { scalar in
            scalar.properties.generalCategory != .control && !Character(scalar).isNewline
        }
        guard !trimmed.isEmpty, trimmed.count <= 64, isLine else { throw .invalidName(name) }
        return trimmed
    }
}
