// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesTrust

/// A program can serve a file system (FUSE), and then says itself to whom its files belong.
@Suite(
    "A folder that a program of another user serves", .serialized,
    .enabled(if: ServedFolder.isPossible, "needs root and /dev/fuse"))
struct ServedFolderTests {
    private let folder: TemporaryFolder
    private let root: String

    init() throws {
        folder = try TemporaryFolder()
        root = try #require(Files.resolved(folder.path))
        try folder.createFolder("served")
    }

    /// The error of following the path of the served folder, which says that it belongs to root.
    private func error(servedBy user: UInt32) throws -> TrustError? {
        let served = Path.join(root, "served")
        return try ServedFolder.serve(served, as: user) {
            let place = TrustPlace(served, .store)
            return Result { () throws(TrustError) in _ = try TrustWalk.follow(place, .own) }.failure
        }
    }

    @Test("is refused, whoever it says that it belongs to")
    func refused() throws {
        let error = try #require(try error(servedBy: OtherUser.id))
        let place = TrustPlace(Path.join(root, "served"), .store)
        #expect(error == .served(place, by: OtherUser.id))
        #expect(
            error.diagnostic.message.hasSuffix(
                "expected a store whose owner the system knows, found a file system that a program of "
                    + "\(Accounts.name(ofUser: OtherUser.id)) serves"))
        #expect(error.diagnostic.code == .untrusted)
    }

    @Test("is as good as any other if the program is the user's own")
    func own() throws {
        #expect(try error(servedBy: getuid()) == nil)
    }

    @Test("lets no link lead an output elsewhere")
    func output() throws {
        let served = Path.join(root, "served")
        let result = try ServedFolder.serve(served, as: OtherUser.id) {
            Result { () throws(PlaceError) in
                _ = try TrustWalk.followOutput(Path.join(served, "link"), .own)
            }
        }
        guard case .failure(.untrusted(.link(let place))) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(place.path == Path.join(served, "link"))
    }
}

/// Serves a folder with one symbolic link in it, as a program of some user would. Both say that they belong to root.
private enum ServedFolder {
    static let isPossible = getuid() == 0 && access("/dev/fuse", R_OK | W_OK) == 0

    /// The numbers of `<linux/fuse.h>` that are used here.
    private enum Operation {
        static let lookup: UInt32 = 1
        static let attributes: UInt32 = 3
        static let readLink: UInt32 = 5
        static let statistics: UInt32 = 17
        static let begin: UInt32 = 26
    }

    static func serve<Result>(_ path: String, as user: UInt32, while body: () -> Result) throws
        -> Result
    {
        let device = open("/dev/fuse", O_RDWR | O_CLOEXEC)
        guard device >= 0 else { throw FixtureError("cannot open /dev/fuse: \(errno)") }
        let options = "fd=\(device),rootmode=40000,user_id=\(user),group_id=0,allow_other"
        guard mount("served", path, "fuse", UInt(MS_NOSUID | MS_NODEV), options) == 0 else {
            close(device)
            throw FixtureError("cannot mount: \(errno)")
        }
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                ServedFolder.answer(Int32(Int(bitPattern: argument)))
                return nil
            }, UnsafeMutableRawPointer(bitPattern: Int(device)))
        guard code == 0 else { throw FixtureError("cannot start a thread: \(code)") }
        defer {
            // Reading from the device ends with an error then.
            umount2(path, Int32(MNT_DETACH))
            pthread_join(thread, nil)
            close(device)
        }
        return body()
    }

    /// Answers the system's requests until the file system is gone.
    private static func answer(_ device: Int32) {
        var request = [UInt8](repeating: 0, count: 1 << 17)
        while true {
            let count = read(device, &request, request.count)
            if count < 0 && (errno == EINTR || errno == ENOENT) { continue }
            guard count >= 40 else { return }
            let (operation, node) = request.withUnsafeBytes {
                (
                    $0.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
                    $0.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
                )
            }
            let answer = answer(to: operation, node)
            var reply = Reply()
            reply.add(UInt32(16 + (answer?.bytes.count ?? 0)))
            reply.add(answer == nil ? -ENOSYS : 0)
            reply.bytes += request[8..<16]
            reply.bytes += answer?.bytes ?? []
            write(device, reply.bytes, reply.bytes.count)
        }
    }

    private struct Reply {
        var bytes: [UInt8] = []

        mutating func add(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number) { bytes += $0 }
        }
    }

    private static func answer(to operation: UInt32, _ node: UInt64) -> Reply? {
        var reply = Reply()
        switch operation {
        case Operation.begin:
            // Major and minor version, no read-ahead, no flags, and defaults.
            for number in [7, 31, 0, 0] as [UInt32] { reply.add(number) }
            reply.bytes += [UInt8](repeating: 0, count: 48)
        case Operation.lookup:
            // The node, its generation, and for how long both are valid: not at all.
            for number in [2, 0, 0, 0, 0] as [UInt64] { reply.add(number) }
            addAttributes(of: 2, to: &reply)
        case Operation.attributes:
            for number in [0, 0] as [UInt64] { reply.add(number) }
            addAttributes(of: node, to: &reply)
        case Operation.readLink: reply.bytes += Array("..".utf8)
        case Operation.statistics: reply.bytes += [UInt8](repeating: 0, count: 80)
        default: return nil
        }
        return reply
    }

    /// `fuse_attr`: the number, sizes and times; then the mode, the number of names, owner and group.
    private static func addAttributes(of node: UInt64, to reply: inout Reply) {
        for number in [node, 2, 0, 0, 0, 0] as [UInt64] { reply.add(number) }
        for time in [0, 0, 0] as [UInt32] { reply.add(time) }
        let mode: UInt32 = node == 1 ? 0o040_755 : 0o120_777
        for number in [mode, 1, 0, 0, 0, 4096, 0] as [UInt32] { reply.add(number) }
    }
}
