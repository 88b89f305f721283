// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesTestSupport
import Testing

@Suite("The hash of a password", .onOwnThreads)
struct PasswordHashTests {
    @Test("fits its password, and no other one")
    func right() throws {
        let hash = try PasswordHash(of: "cobol")
        #expect(hash.text.hasPrefix("$y$") || hash.text.hasPrefix("$6$"))
        #expect(try PasswordHash.isRight("cobol", for: hash))
        #expect(try PasswordHash.isRight("cobol", for: PasswordHash(text: hash.text)))
        for wrong in ["Cobol", "", "cobol ", "cobol\u{0}", hash.text] {
            #expect(try !PasswordHash.isRight(wrong, for: hash))
        }
        #expect(try PasswordHash(of: "cobol") != hash)
    }

    @Test("was made by any method that the platform knows")
    func methods() throws {
        // The example of the specification of SHA-crypt.
        let hash = PasswordHash(
            text: "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiB"
                + "FdcbYEdFCoEOfaS35inz1")
        #expect(try PasswordHash.isRight("Hello world!", for: hash))
        #expect(try !PasswordHash.isRight("Hello world", for: hash))
    }

    @Test(
        "fits nothing if there is none, or if its text is none",
        arguments: ["", "*", "*0", "x", "$y$", "$6$abc$"])
    func none(_ text: String) throws {
        #expect(try !PasswordHash.isRight("cobol", for: nil))
        #expect(try !PasswordHash.isRight("cobol", for: PasswordHash(text: text)))
        #expect(try !PasswordHash.isRight(text, for: PasswordHash(text: text)))
    }

    @Test("has no empty password, none that is too long, and none with a zero byte")
    func limits() throws {
        #expect(throws: UserServiceError.emptyPassword) { try PasswordHash(of: "") }
        let longest = String(repeating: "ä", count: 250)
        for password in [longest + "x", "a\u{0}b"] {
            #expect(throws: UserServiceError.invalidPassword) { try PasswordHash(of: password) }
        }
        let hash = try PasswordHash(of: longest)
        #expect(try PasswordHash.isRight(longest, for: hash))
        #expect(try !PasswordHash.isRight(String(longest.dropLast()), for: hash))
    }

    @Test("folds names that differ in case and composition alone to the same bytes")
    func folded() {
        for (name, same) in [
            ("Zoë", "ZOE\u{308}"), ("Straße", "STRASSE"), ("ΟΔΟΣ", "οδος"), ("ﬁ", "FI"),
        ] {
            #expect(Array(User.folded(name: name).utf8) == Array(User.folded(name: same).utf8))
        }
        #expect(User.folded(name: "Grace") != User.folded(name: "Gr\u{430}ce"))
    }
}
