// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) import EavesInterface
import EavesSystem

/// The envelope of every message between two processes of Eaves: 1 byte with the version, 4 bytes with the length of the
/// content, the lowest first, and the content. Values are in the form that `Documentation/Internals/Wire.md` describes.
package enum Frame {
    /// The version of all messages. A process rejects frames of another one.
    package static let version: UInt8 = 2
    /// The size of the version and the length. In bytes.
    package static let headSize = 5

    /// Appends the version and the length of a content that follows.
    package static func appendHead(ofContent count: Int, to bytes: inout [UInt8]) {
        bytes.append(version)
        withUnsafeBytes(of: UInt32(count).littleEndian) { bytes += $0 }
    }

    /// Returns the frame around a value.
    ///
    /// - Throws: ``FrameError/tooLong(_:limit:)`` for more than 4 GB, or the error of the value's own `encode(to:)`.
    package static func bytes(of value: some Encodable) throws -> [UInt8] {
        let writer = WireWriter()
        try writer.write(value)
        let content = writer.bytes
        guard UInt32(exactly: content.count) != nil else {
            throw FrameError.tooLong(content.count, limit: Int(UInt32.max))
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(headSize + content.count)
        appendHead(ofContent: content.count, to: &bytes)
        return bytes + content
    }

    /// Returns the value that is the content of a frame.
    ///
    /// - Throws: `WireError`, or the error of the type's own `init(from:)`.
    package static func value<Value: Decodable>(
        _ type: Value.Type, in content: some Sequence<UInt8>
    ) throws -> Value {
        let reader = try WireReader(Array(content))
        let value = try reader.read(type)
        try reader.finish()
        return value
    }

    /// Reads one frame and no byte behind it, and returns its content. Blocks the thread.
    ///
    /// - Parameters:
    ///   - first: The bytes of the frame that were read before.
    ///   - limit: The largest content. In bytes.
    ///   - deadline: The end of the wait; `nil` for no limit.
    /// - Returns: `nil` if the other end closes or sends something else, or the time is up.
    package static func read(
        from descriptor: Int32, after first: [UInt8] = [], limit: Int = 64 << 20,
        until deadline: ContinuousClock.Instant? = nil
    ) -> ArraySlice<UInt8>? {
        var buffer = FrameBuffer(limit: limit)
        buffer.append(first)
        while let missing = try? buffer.missing, missing > 0 {
            if let deadline,
                !Pipe.isReadable(descriptor, within: PollTime.milliseconds(until: deadline))
            {
                return nil
            }
            guard let piece = Pipe.read(descriptor, count: min(missing, 1 << 16)) else { continue }
            if piece.isEmpty { return nil }
            buffer.append(piece)
        }
        return try? buffer.next()
    }
}

/// Puts frames together from the pieces in which they come. A pure value.
package struct FrameBuffer {
    private var bytes: [UInt8] = []
    private var start = 0
    /// The largest content. In bytes.
    private let limit: Int

    package init(limit: Int) { self.limit = limit }

    /// Whether all bytes so far were whole frames.
    package var isEmpty: Bool { start == bytes.count }

    /// The number of bytes behind the frames that were taken.
    private var count: Int { bytes.count - start }

    package mutating func append(_ piece: some Collection<UInt8>) {
        if isEmpty {
            bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
            start = 0
        } else if start > Self.keptCapacity {
            bytes.removeFirst(start)
            start = 0
        }
        bytes += piece
    }

    private static let keptCapacity = 1 << 18

    /// The length of the next content, if its head has come.
    private var length: Int { (1...4).reversed().reduce(0) { $0 << 8 | Int(bytes[start + $1]) } }

    /// The number of bytes that are missing at least until the next frame is whole; 0 if it is.
    package var missing: Int {
        get throws(FrameError) {
            if !isEmpty, bytes[start] != Frame.version { throw .otherVersion(bytes[start]) }
            guard count >= Frame.headSize else { return Frame.headSize - count }
            guard length <= limit else { throw .tooLong(length, limit: limit) }
            return max(0, Frame.headSize + length - count)
        }
    }

    /// Takes the content of the next frame; returns `nil` if it has not come as a whole.
    package mutating func next() throws(FrameError) -> ArraySlice<UInt8>? {
        guard try missing == 0 else { return nil }
        let content = start + Frame.headSize
        start = content + length
        return bytes[content..<start]
    }
}

package enum FrameError: Error, Hashable, Sendable, CustomStringConvertible {
    case otherVersion(UInt8)
    case tooLong(Int, limit: Int)

    package var description: String {
        switch self {
        case .otherVersion(let version):
            "a message has version \(version): expected \(Frame.version)"
        case .tooLong(let length, let limit):
            "a message has \(length) bytes: expected at most \(limit)"
        }
    }
}
