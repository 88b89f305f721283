// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesProcess

/// A message between a host and a worker, as `Documentation/Internals/Wire.md` describes it: a frame with the kind, the number of the
/// call or instance, and the content.
struct Message: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        /// The service of a new instance. The number is the instance's.
        case open = 1
        /// The end of an instance. The number is the instance's.
        case close = 2
        /// A call of a requirement of an instance.
        case call = 3
        /// The result of a call.
        case answer = 4
        /// The error of a call, or of a stream.
        case failure = 5
        /// Cancels a call, or ends a stream that its reader has left.
        case cancel = 6
        /// The begin of a stream, which is the result of a call.
        case stream = 7
        /// Asks for so many further elements of a stream.
        case more = 8
        case element = 9
        case end = 10
        /// A message that a module logs. The number is its level.
        case log = 11
    }

    var kind: Kind
    var number: UInt64
    var content: [UInt8]

    init(_ kind: Kind, _ number: UInt64, _ content: [UInt8] = []) {
        self.kind = kind
        self.number = number
        self.content = content
    }

    /// The kind and the number. In bytes.
    static let headSize = 9
    /// The largest content. In bytes.
    static let contentLimit = 64 << 20

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Frame.headSize + Self.headSize + content.count)
        Frame.appendHead(ofContent: Self.headSize + content.count, to: &bytes)
        bytes.append(kind.rawValue)
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
        bytes += content
        return bytes
    }
}

extension FrameBuffer {
    static var ofMessages: FrameBuffer {
        FrameBuffer(limit: Message.headSize + Message.contentLimit)
    }

    /// Takes the next message; returns `nil` if it has not come as a whole.
    ///
    /// - Throws: ``MessageError`` if the other process does not send messages like these.
    mutating func nextMessage() throws(MessageError) -> Message? {
        let next: ArraySlice<UInt8>?
        do throws(FrameError) { next = try self.next() } catch { throw .noFrame(error) }
        guard let frame = next else { return nil }
        guard frame.count >= Message.headSize, let first = frame.first else {
            throw .tooShort(frame.count)
        }
        guard let kind = Message.Kind(rawValue: first) else { throw .unknownKind(first) }
        let content = frame.dropFirst(Message.headSize)
        return Message(
            kind, frame[frame.startIndex + 1..<content.startIndex].littleEndian, Array(content))
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

/// The other process has sent bytes that are not a message.
enum MessageError: Error, Hashable, Sendable, CustomStringConvertible {
    case noFrame(FrameError)
    case tooShort(Int)
    case unknownKind(UInt8)
    /// A message of this kind is not due, or its content is damaged.
    case unexpected(Message.Kind)
    case unfinished

    var description: String {
        switch self {
        case .noFrame(let error): error.description
        case .tooShort(let length):
            "a message has \(length) bytes: expected at least \(Message.headSize)"
        case .unknownKind(let kind): "there is no message of the kind \(kind)"
        case .unfinished: "a message has begun and does not go on"
        case .unexpected(let kind): "a message of the kind '\(kind)' is damaged or was not due"
        }
    }
}
