// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A password as services keep it: a salted hash that the platform's `crypt` made.
///
/// The hash is yescrypt, or SHA-512 where the platform has no yescrypt. Its text names the method, so
/// hashes of several methods can be kept next to each other. Making or checking a hash takes some
/// hundredths of a second on purpose.
public struct PasswordHash: Hashable, Sendable {
    /// The longest password, in bytes of UTF-8. `crypt` takes a few more.
    private static let limit = 500
    /// The methods in the order in which they are tried.
    private static let methods = ["$y$j9T$", "$6$"]

    /// The text to keep, such as `$y$j9T$…$…`.
    public let text: String

    /// Takes the text of a hash that was kept.
    ///
    /// - Parameter text: The ``text`` of an earlier hash. No password matches any other text.
    public init(text: String) {
        self.text = text
    }

    /// Makes the hash of a password, with a new random salt.
    ///
    /// - Throws: ``UserServiceError/emptyPassword``, ``UserServiceError/invalidPassword`` for one that is
    ///   longer than 500 bytes or has a zero byte, or ``UserServiceError/unavailable(_:)`` where the
    ///   platform's library is not installed.
    public init(of password: String) throws(UserServiceError) {
        guard !password.isEmpty else { throw .emptyPassword }
        guard Self.canBeHashed(password) else { throw .invalidPassword }
        let crypt = try Crypt.platform.get()
        for method in Self.methods {
            if let text = crypt.hash(password, setting: method + Self.salt()) {
                self.text = text
                return
            }
        }
        throw .unavailable("the platform's 'crypt' has neither yescrypt nor SHA-512.")
    }

    /// Whether a password is the one that a hash was made of.
    ///
    /// This takes as long for a user that does not exist as for one that does.
    ///
    /// - Parameters:
    ///   - password: The password that a person typed.
    ///   - hash: The hash that is kept for the user; `nil` if there is no such user, or if the user has
    ///     no password. No password is right then.
    /// - Throws: ``UserServiceError/unavailable(_:)`` where the platform's library is not installed.
    public static func isRight(
        _ password: String, for hash: PasswordHash?
    ) throws(UserServiceError) -> Bool {
        guard !password.isEmpty, canBeHashed(password) else { return false }
        guard let hash else {
            _ = try PasswordHash(of: password)
            return false
        }
        guard let text = try Crypt.platform.get().hash(password, setting: hash.text) else {
            return false
        }
        return isEqual(text, hash.text)
    }

    private static func canBeHashed(_ password: String) -> Bool {
        password.utf8.count <= limit && !password.utf8.contains(0)
    }

    /// 16 random characters, 96 bits.
    private static func salt() -> String {
        let alphabet = Array("./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
        // The generator reads the kernel's, with `getrandom`.
        var generator = SystemRandomNumberGenerator()
        return String((0..<16).map { _ in alphabet.randomElement(using: &generator) ?? "." })
    }

    /// Compares all bytes, so that the time does not say where the first difference is.
    private static func isEqual(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        return zip(left.utf8, right.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// The function `crypt_r` of the platform's library.
///
/// The library is loaded when the first password is hashed, because most launches hash none.
private struct Crypt {
    private typealias Function =
        @convention(c) (
            UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer
        ) -> UnsafePointer<CChar>?

    /// The file names of the library: that of Debian and Ubuntu, and that of Fedora and its kin.
    private static let names = ["libcrypt.so.1", "libcrypt.so.2"]
    /// At least the size of `struct crypt_data`, which differs between platforms. In bytes.
    private static let scratchSize = 1 << 18

    static let platform: Result<Crypt, UserServiceError> = {
        for name in names {
            if let library = dlopen(name, RTLD_NOW | RTLD_LOCAL),
                let symbol = dlsym(library, "crypt_r")
            {
                // SAFETY: The symbol is the function `crypt_r` of crypt.h, whose parameters and result
                // are those of `Function`. The library is never closed.
                return .success(Crypt(function: unsafeBitCast(symbol, to: Function.self)))
            }
        }
        return .failure(
            .unavailable(
                "passwords need the library \(names[0]). On Debian and Ubuntu, "
                    + "'apt install libcrypt1' installs it."))
    }()

    private let function: Function

    /// - Parameters:
    ///   - password: A text without zero bytes.
    ///   - setting: The method and the salt, or a whole hash that begins with them.
    /// - Returns: The hash; `nil` if the library does not know the method.
    func hash(_ password: String, setting: String) -> String? {
        // SAFETY: The memory is zeroed, as `crypt_r` demands, is larger than its structure, and lives
        // until the result, which points into it, has been copied.
        guard let scratch = calloc(1, Self.scratchSize) else { return nil }
        defer {
            explicit_bzero(scratch, Self.scratchSize)
            free(scratch)
        }
        // A failure is told by a text that begins with an asterisk, or by a null pointer.
        guard let result = function(password, setting, scratch), result.pointee != 0x2a else {
            return nil
        }
        return String(cString: result)
    }
}
