// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Identifies one state of a file: a file with the same identity as before is the same file with
/// the same content, and need not be read again.
package struct FileIdentity: Hashable, BitwiseCopyable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    /// In bytes.
    package var size: Int64
    /// When the content changed last, in nanoseconds since 1970.
    package var modified: Int64
    /// When the content or the status changed last, in nanoseconds since 1970. No program can set
    /// this time back.
    package var changed: Int64

    /// An identity that no file has.
    package static let none = FileIdentity(device: 0, inode: 0, size: 0, modified: 0, changed: 0)

    package init(device: UInt64, inode: UInt64, size: Int64, modified: Int64, changed: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    package init(_ status: FileStatus) {
        self.init(
            device: status.device, inode: status.inode, size: Int64(status.size),
            modified: status.modified, changed: status.changed)
    }

    /// Whether any later change is certain to give the file other times than these.
    ///
    /// - Parameter now: A time before the file was read, in nanoseconds since 1970.
    package func isSettled(at now: Int64) -> Bool {
        Self.isSettled(modified, at: now) && Self.isSettled(changed, at: now)
    }

    /// Whether any later change is certain to give a file another time than this one.
    ///
    /// The clocks of file systems tick in milliseconds, those of old file systems in one or two
    /// seconds: a file that changed just now can change again within the same tick and keep its
    /// times.
    package static func isSettled(_ time: Int64, at now: Int64) -> Bool {
        let tick: Int64 = time % 1_000_000_000 == 0 ? 2_000_000_000 : 20_000_000
        return time < now - tick
    }
}

extension FileIdentity {
    /// The size, device, inode and both times in base 36, with `-` between them. Can be part of a
    /// file's name.
    package var text: String {
        var text: [UInt8] = []
        text.reserveCapacity(5 * Self.maximumDigits)
        for number in [
            UInt64(bitPattern: size), device, inode, UInt64(bitPattern: modified),
            UInt64(bitPattern: changed),
        ] {
            if !text.isEmpty { text.append(UInt8(ascii: "-")) }
            Self.append(number, to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The length of the longest number of 64 bits, with the `-` before it.
    private static let maximumDigits = 14

    /// Appends a number in base 36. `String(radix:)` is too slow here: five calls of it for each
    /// module that is loaded cost more than all other steps of making a copy.
    private static func append(_ number: UInt64, to text: inout [UInt8]) {
        let start = text.count
        var rest = number
        repeat {
            let digit = UInt8(rest % 36)
            text.append(digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
            rest /= 36
        } while rest > 0
        text[start...].reverse()
    }
}
