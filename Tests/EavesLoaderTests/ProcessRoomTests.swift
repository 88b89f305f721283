// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Glibc
import Synchronization
import Testing

@testable import EavesLoader

@Suite("What a process has room for", .promptly)
struct ProcessRoomTests {
    @Test(
        "is low when an eighth is left, or sixteen",
        arguments: [
            (.descriptors, 0, 1024, false), (.descriptors, 895, 1024, false),
            (.descriptors, 896, 1024, true), (.descriptors, 1024, 1024, true),
            (.descriptors, 79, 96, false), (.descriptors, 80, 96, true), (.descriptors, 0, 9, true),
            (.mappings, 57_338, 65_530, false), (.mappings, 57_339, 65_530, true),
        ] as [(ProcessRoom.Kind, Int, Int, Bool)])
    func low(kind: ProcessRoom.Kind, used: Int, limit: Int, isLow: Bool) {
        #expect(ProcessRoom(kind, used: used, of: limit).isLow == isLow)
    }

    /// Runs in a process of its own, whose limits it sets.
    @Test(
        "are descriptors up to the hard limit, while the soft one stays, and half of those below it"
    )
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            func limit(_ soft: rlim_t, _ hard: rlim_t) {
                var limit = rlimit(rlim_cur: soft, rlim_max: hard)
                #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            }
            limit(64, 256)
            var copies = try (0..<100).map { _ in try PrivateCopy([1], id: "a") }
            #expect(copies.contains { $0.descriptor < 32 })
            #expect(copies.contains { $0.descriptor >= 64 })
            #expect(copies.allSatisfy { $0.descriptor < 32 || $0.descriptor >= 64 })
            #expect(ProcessRoom.shortage() == nil)
            #expect(system("test $(ulimit -Sn) = 64") == 0)
            var status: Int32 = 0
            #expect(waitpid(-1, &status, __WALL) == -1 && errno == ECHILD)
            copies += try (0..<120).map { _ in try PrivateCopy([1], id: "a") }
            ProcessRoom.passedOver.withLock { $0 = 0 }
            let room = ProcessRoom.shortage()
            #expect(room?.kind == .descriptors && room?.limit == 256)
            limit(64, 64)
            #expect(ProcessRoom.shortage()?.limit == 64)
        }
    }
}
