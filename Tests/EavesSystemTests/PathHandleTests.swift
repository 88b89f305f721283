// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@testable import EavesSystem

@Suite("Who serves a file system", .onOwnThreads)
struct PathHandleTests {
    private static let mounts = """
        22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,user_id=7
        42 27 0:39 / /tmp/- rw,nosuid,nodev - fuse /home/x rw,user_id=54321,group_id=0,allow_other
        43 27 0:40 / /a rw shared:5 master:2 - fuse.sshfs host: rw,user_id=0,group_id=0
        44 27 0:41 / /b rw - virtiofs share rw
        45 27 0:42 / /c rw - fuse broken rw,group_id=0

        """

    @Test("stands in the table of mounts")
    func server() {
        func server(_ device: String) -> PathHandle.FileSystemServer? {
            PathHandle.server(ofDevice: device, in: Self.mounts)
        }
        #expect(server("0:39") == .user(54321))
        #expect(server("0:40") == .user(0))
        #expect(server("0:41") == .machine)
        #expect(server("254:0") == .machine)
        #expect(server("0:42") == nil && server("0:3") == nil)
    }

    @Test("is nobody for the root of the disk")
    func root() throws {
        #expect(try PathHandle.root().servingUser() == nil)
    }
}
