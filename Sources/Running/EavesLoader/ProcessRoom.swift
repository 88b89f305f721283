// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesSystem
import Glibc
import Synchronization

/// How much of a thing this process has in use that each file which it loads takes some of, for good.
package struct ProcessRoom: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case descriptors, mappings }

    package let kind: Kind
    package let used: Int
    package let limit: Int

    package init(_ kind: Kind, used: Int, of limit: Int) {
        (self.kind, self.used, self.limit) = (kind, used, limit)
    }

    /// Whether files that take the place of others get no more of it: the rest is for the program's own files, connections
    /// and memory.
    package var isLow: Bool { limit - used <= max(16, limit / 8) }

    var isUsedUp: Bool { limit - used < (kind == .mappings ? 16 : 1) }

    /// How many files may be loaded before it is measured again: so many take a small part of what is free.
    private var pause: Int { (limit - used) / (kind == .mappings ? 4096 : 32) }

    /// The thing that this process has little of; `nil` if it has enough of all. Measuring takes as long as loading a file, so
    /// most calls pass it over.
    package static func shortage() -> ProcessRoom? {
        passedOver.withLock { count in
            count -= 1
            guard count < 0 else { return nil }
            let rooms = [descriptors, mappings].compactMap { $0 }
            let low = rooms.first(where: \.isLow)
            count = low == nil ? rooms.map(\.pause).min() ?? 0 : 0
            return low
        }
    }

    static let passedOver = Mutex(0)

    static var usedUp: ProcessRoom? {
        [descriptors, mappings].compactMap { $0 }.first(where: \.isUsedUp)
    }

    private static var descriptors: ProcessRoom? {
        var limits = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else {
            return nil
        }
        guard let folder = opendir("/proc/self/fd") else {
            let soft = Int(clamping: limits.rlim_cur)
            return errno == EMFILE ? ProcessRoom(.descriptors, used: soft, of: soft) : nil
        }
        defer { closedir(folder) }
        // Without the two names of folders and the folder itself.
        var count = -3
        while readdir(folder) != nil { count += 1 }
        return ProcessRoom(.descriptors, used: count, of: Int(clamping: limits.rlim_max))
    }

    private static var mappings: ProcessRoom? {
        // Files of the system say that they are empty, so a count of bytes is asked for.
        let setting = try? OpenFile(reading: "/proc/sys/vm/max_map_count")
        guard let text = try? setting?.bytes(at: 0, count: 32),
            let limit = Int(String(decoding: text, as: UTF8.self).filter(\.isNumber)),
            let maps = try? OpenFile(reading: "/proc/self/maps")
        else { return nil }
        var (count, offset) = (0, 0)
        // In pieces: there may be no mapping left for a large array.
        while let piece = try? maps.bytes(at: offset, count: 16 << 10), !piece.isEmpty {
            count += piece.count { $0 == UInt8(ascii: "\n") }
            offset += piece.count
        }
        return ProcessRoom(.mappings, used: count, of: limit)
    }

    /// How much static memory the dynamic linker has for the variables of threads of all files that a process loads, at
    /// most. In bytes.
    package static let staticMemory: Int = {
        let tunables = (Environment.atStart ?? .current)["GLIBC_TUNABLES"] ?? ""
        func value(_ name: String) -> Int? {
            tunables.part(after: "glibc.rtld.\(name)=")
                .map { Int(clamping: strtoul(String($0), nil, 0)) }
        }
        let optional = min(value("optional_static_tls") ?? 512, 1 << 32)
        // glibc's `_dl_tls_static_surplus_init`, rounded up to the alignment of a thread's memory.
        return 336 * min(value("nns") ?? 4, 16) - 192 + optional + 64
    }()
}
