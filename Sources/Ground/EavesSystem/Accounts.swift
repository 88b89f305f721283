// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
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
            if let known = answers[[group, user]] { return known }
            let answer = findsPrivate(group, user)
            answers[[group, user]] = answer
            return answer
        }
    }

    /// The answers so far, by group and user. The lock also lets only one thread at a time iterate over the users: the
    /// C library keeps one position in that list for the whole process.
    private static let answers = Mutex<[[UInt32]: Bool]>([:])

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
        _ lookUp: (UnsafeMutablePointer<CChar>, Int, inout UnsafeMutablePointer<Record>?) -> Int32,
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

/// The users who have a number in the user namespace of this process, as rootless containers and sandboxes have one. All
/// others seem to be one user there: the overflow user.
package struct UserNamespace: Hashable, Sendable {
    private let numbers: [Range<UInt64>]
    private let overflow: UInt32
    private let root: UInt32
    /// A number by which what was noted in another namespace is not used in this one: it has other numbers for users.
    package let sum: Int64

    package static let current: UserNamespace = {
        // In the namespace of the system itself, whose number never changes, all users have numbers.
        let isOfSystem = (try? Files.target(ofLink: "/proc/self/ns/user")) == "user:[4026531837]"
        if isOfSystem { return all }
        let (map, file) = (Files.kernelText("/proc/self/uid_map"), "/proc/sys/kernel/overflowuid")
        guard !map.includes(" 4294967295"), let kernel = try? FileStatus(path: file),
            let overflow = UInt32(Files.kernelText(file).prefix { $0.isNumber })
            // All users have numbers, as far as this system tells.
        else { return all }
        return UserNamespace(map: map, overflow: overflow, root: kernel.owner)
    }()

    private static let all = UserNamespace(map: "", overflow: .max, root: 0)

    /// - Parameters:
    ///   - map: The text of `/proc/self/uid_map`: the first number here, the same user's outside, and how many follow.
    ///   - overflow: The number that stands for all users without one.
    ///   - root: The owner that files of the kernel itself seem to have. The map alone does not say who root is, since
    ///     namespaces are nested, and it names the next one only.
    package init(map: String, overflow: UInt32, root: UInt32) {
        numbers = map.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ").compactMap { UInt32($0).map(UInt64.init) }
            return fields.count == 3 ? fields[0]..<fields[0] + fields[2] : nil
        }
        self.overflow = overflow
        self.root = root
        sum = "\(map) \(root)".utf8.reduce(0) { $0 &* 31 &+ Int64($1) }
    }

    /// Whether files that seem to belong to this user belong to users without a number.
    package func hides(_ user: UInt32) -> Bool {
        user == overflow && !numbers.contains { $0.contains(UInt64(user)) }
    }

    /// Whether the machine's root is one of the users without a number.
    package var hidesRoot: Bool { hides(root) }
}
