// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Looks up the users and groups of this machine.
///
/// A look-up can be slow where accounts come over a network, so use it only where it matters.
package enum Accounts {
    /// The user whose rights this process had at the first use of this value.
    package static let current: UInt32 = geteuid()

    /// A user's name, or the number of a user without one.
    package static func name(ofUser id: UInt32) -> String {
        record(ofUser: id)?.name ?? String(id)
    }

    /// A group's name, or the number of a group without one.
    package static func name(ofGroup id: UInt32) -> String {
        record(ofGroup: id)?.name ?? String(id)
    }

    /// Whether a group is a user's private group: the user's own group, of the same name, that has
    /// no other members. Many systems give each user a private group and make files writable by it.
    package static func isPrivate(group: UInt32, of user: UInt32) -> Bool {
        answers.withLock { answers in
            let question = Question(group: group, user: user)
            if let known = answers[question] { return known }
            let answer = findsPrivate(group, user)
            answers[question] = answer
            return answer
        }
    }

    private struct Question: Hashable {
        let group: UInt32
        let user: UInt32
    }

    /// The answers so far. The lock also lets only one thread at a time iterate over the users: the
    /// C library keeps one position in that list for the whole process.
    private static let answers = Mutex<[Question: Bool]>([:])

    private static func findsPrivate(_ group: UInt32, _ user: UInt32) -> Bool {
        guard let owner = record(ofUser: user), owner.group == group,
            let own = record(ofGroup: group), isPrivate(own.name, own.members, of: owner.name)
        else { return false }
        setpwent()
        defer { endpwent() }
        // SAFETY: each entry is valid until the next call, and no other thread makes one: only this
        // function calls it, under the lock of `answers`.
        while let entry = getpwent() {
            if entry.pointee.pw_gid == group, entry.pointee.pw_uid != user { return false }
        }
        return true
    }

    /// Whether a group has a user's name and, as its record tells, no other members.
    static func isPrivate(_ name: String, _ members: [String], of user: String) -> Bool {
        name == user && members.allSatisfy { $0 == user }
    }

    private static func record(ofUser id: UInt32) -> (name: String, group: UInt32)? {
        var entry = passwd()
        return withLookUp { start, count, found in
            getpwuid_r(id, &entry, start, count, &found)
        } read: { (found: passwd) in
            (text(found.pw_name), found.pw_gid)
        }
    }

    private static func record(ofGroup id: UInt32) -> (name: String, members: [String])? {
        var entry = group()
        return withLookUp { start, count, found in
            getgrgid_r(id, &entry, start, count, &found)
        } read: { (found: group) in
            var members: [String] = []
            var next = found.gr_mem
            while let member = next?.pointee {
                members.append(String(cString: member))
                next = next?.advanced(by: 1)
            }
            return (text(found.gr_name), members)
        }
    }

    private static func text(_ pointer: UnsafeMutablePointer<CChar>?) -> String {
        pointer.map { String(cString: $0) } ?? ""
    }

    /// Calls a look-up with larger and larger buffers until its answer fits.
    ///
    /// SAFETY: the record points into the buffer, which lives until `read` has copied the record.
    private static func withLookUp<Record, Answer>(
        _ lookUp: (
            UnsafeMutablePointer<CChar>, Int, inout UnsafeMutablePointer<Record>?
        ) -> Int32,
        read: (Record) -> Answer
    ) -> Answer? {
        var size = 1024
        while size <= 1 << 20 {
            let start = UnsafeMutablePointer<CChar>.allocate(capacity: size)
            defer { start.deallocate() }
            var found: UnsafeMutablePointer<Record>?
            let code = lookUp(start, size, &found)
            if let found { return read(found.pointee) }
            if code == EINTR { continue }
            guard code == ERANGE else { return nil }
            size *= 4
        }
        return nil
    }
}
