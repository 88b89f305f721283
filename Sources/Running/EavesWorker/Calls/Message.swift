// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A message between a host and a worker, as `Documentation/Wire.md` describes it: the length of what follows, the
/// kind, the number of the call or instance, and the content.
package struct Message: Hashable, Sendable {
    package enum Kind: UInt8, Sendable {
        /// Names the service that an instance is of. The number is the instance's.
        case open = 1
        /// Lets an instance go. The number is the instance's.
        case close = 2
        /// Calls a requirement of an instance.
        case call = 3
        /// Has the result of a call.
        case answer = 4
        /// Has the error of a call, or of a stream.
        case failure = 5
        /// Cancels a call, or ends a stream that its reader has left.
        case cancel = 6
        /// Says that the result of a call is a stream.
        case stream = 7
        /// Asks for so many further elements of a stream.
        case more = 8
        /// Has an element of a stream.
        case element = 9
        /// Ends a stream.
        case end = 10
        /// Has a message that a module logs. The number is its level.
        case log = 11
    }

    package var kind: Kind
    package var number: UInt64
    package var content: [UInt8]

    package init(_ kind: Kind, _ number: UInt64, _ content: [UInt8] = []) {
        self.kind = kind
        self.number = number
        self.content = content
    }

    /// The kind and the number. In bytes.
    static let headSize = 9
    /// The largest content. In bytes.
    package static let contentLimit = 64 << 20

    /// The message as it is sent.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 + Self.headSize + content.count)
        withUnsafeBytes(of: UInt32(Self.headSize + content.count).littleEndian) { bytes += $0 }
        bytes.append(kind.rawValue)
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
        bytes += content
        return bytes
    }
}

/// Puts messages together from the pieces in which they come. A pure value.
package struct MessageBuffer {
    private var bytes: [UInt8] = []
    private var start = 0

    package init() {}

    /// Whether all that has come were whole messages.
    var isEmpty: Bool { start == bytes.count }

    package mutating func append(_ piece: some Collection<UInt8>) {
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
            start = 0
        } else if start > Self.keptCapacity {
            bytes.removeFirst(start)
            start = 0
        }
        bytes += piece
    }

    private static let keptCapacity = 1 << 18

    /// The next message; `nil` if it has not come as a whole.
    ///
    /// - Throws: ``MessageError`` if the other process does not send messages like these.
    package mutating func next() throws(MessageError) -> Message? {
        guard bytes.count - start >= 4 else { return nil }
        let length = Int(bytes[start..<start + 4].littleEndian)
        guard length >= Message.headSize else { throw .tooShort(length) }
        guard length <= Message.headSize + Message.contentLimit else { throw .tooLong(length) }
        guard bytes.count - start >= 4 + length else { return nil }
        guard let kind = Message.Kind(rawValue: bytes[start + 4]) else {
            throw .unknownKind(bytes[start + 4])
        }
        let content = bytes[(start + 4 + Message.headSize)..<(start + 4 + length)]
        let message = Message(kind, bytes[(start + 5)..<(start + 13)].littleEndian, Array(content))
        start += 4 + length
        return message
    }
}

extension Collection<UInt8> {
    /// The number that the bytes are, the lowest first. At most eight.
    var littleEndian: UInt64 {
        var (number, shift) = (UInt64(0), UInt64(0))
        for byte in self {
            number |= UInt64(byte) << shift
            shift += 8
        }
        return number
    }
}

/// Another process sends what is no message.
package enum MessageError: Error, Hashable, Sendable, CustomStringConvertible {
    case tooShort(Int)
    case tooLong(Int)
    case unknownKind(UInt8)
    /// A message of this kind is not due, or its content is damaged.
    case unexpected(Message.Kind)
    /// A message has begun, and does not go on.
    case unfinished

    package var description: String {
        switch self {
        case .tooShort(let length):
            "a message has \(length) bytes: expected at least \(Message.headSize)"
        case .tooLong(let length):
            "a message has \(length) bytes: expected at most \(Message.headSize + Message.contentLimit)"
        case .unknownKind(let kind): "there is no message of the kind \(kind)"
        case .unfinished: "a message has begun and does not go on"
        case .unexpected(let kind): "a message of the kind '\(kind)' is damaged or was not due"
        }
    }
}
