// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesProcess

/// A message between a host and a worker, as `Documentation/Internals/Wire.md` describes it: the kind, the number of the call or
/// instance, and the content. It goes in one frame, or in several with a piece of the content in each.
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
        /// The error of a call.
        case failure = 5
        case cancel = 6
        /// A stream, which is the result of a call. It is an instance, and a call of it asks for the next element.
        case stream = 7
        /// Several elements of a stream, in the place of the next one.
        case elements = 8
        /// The end of a stream, in the place of the next element.
        case end = 10
        /// A message that a module logs. The number is its level.
        case log = 11
    }

    var kind: Kind
    var number: UInt64
    var content: [UInt8]
    /// The end of a large content, apart so that it need not be copied.
    var tail: [UInt8]

    init(_ kind: Kind, _ number: UInt64, _ content: [UInt8] = [], _ tail: [UInt8] = []) {
        self.kind = kind
        self.number = number
        self.content = content
        self.tail = tail
    }

    /// The size of all of its content. In bytes.
    var size: Int { content.count + tail.count }
    /// The memory that it takes as long as it is kept. In bytes.
    var keptSize: Int { size + MessageChannel.cost }
    /// Whether it answers the other end, which has asked for it.
    var isReply: Bool {
        switch kind {
        case .answer, .failure, .stream, .elements, .end: true
        default: false
        }
    }

    var whole: [UInt8] { tail.isEmpty ? content : content + tail }

    /// The kind and the number. In bytes.
    static let headSize = 9
    /// The largest content, and the largest that holds the state of a module. In bytes.
    static let contentLimit = 16 << 20
    static let stateLimit = 64 << 20
    /// The largest text of a log, and the largest name of an instance. In bytes.
    static let logLimit = 64 << 10
    static let nameLimit = 4 << 10

    /// The largest piece of a content that a frame gets. In bytes.
    static let pieceSize = 1 << 16
    /// The bit of the kind that says that further frames go on with the content. Their size follows the number.
    fileprivate static let goesOn: UInt8 = 0x80

    /// Where the piece ends that begins at a place of the content. The tail begins with a piece, so that the other end has it
    /// apart, too.
    func endOfPiece(at start: Int) -> Int {
        min(start + Self.pieceSize, start < content.count ? content.count : size)
    }

    /// Appends the frame with a piece of the content.
    func appendPiece(_ piece: Range<Int>, to bytes: inout [UInt8]) {
        let rest = UInt32(size - piece.upperBound)
        Frame.appendHead(ofContent: Self.headSize + (rest > 0 ? 4 : 0) + piece.count, to: &bytes)
        bytes.append(kind.rawValue | (rest > 0 ? Self.goesOn : 0))
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
        if rest > 0 { withUnsafeBytes(of: rest.littleEndian) { bytes += $0 } }
        bytes += content[piece.clamped(to: content.indices)]
        bytes +=
            tail[
                max(0, piece.lowerBound - content.count)..<max(0, piece.upperBound - content.count)]
    }
}

/// Puts messages together from the bytes that come. Pieces of several messages may come in turns. A pure value.
struct MessageBuffer {
    private var frames = FrameBuffer(limit: Self.frameLimit)
    /// The messages that go on.
    private var begun: [Head: Begun] = [:]

    private struct Head: Hashable {
        let kind: Message.Kind
        let number: UInt64
    }

    private struct Begun {
        let content: [UInt8]
        var tail: [UInt8] = []
        let size: Int
    }

    /// The largest content, and the most that may have begun and not ended. In bytes.
    var limit = Message.contentLimit
    /// The largest frame. In bytes.
    static let frameLimit = Message.headSize + 4 + Message.pieceSize
    /// The size of all messages that go on, also of what has not come. In bytes.
    private var begunSize = 0

    /// Whether all bytes so far were whole messages.
    var isEmpty: Bool { frames.isEmpty && begun.isEmpty }

    mutating func append(_ piece: some Collection<UInt8>) { frames.append(piece) }

    /// Takes the next message; returns `nil` if it has not come as a whole.
    ///
    /// - Throws: ``MessageError`` if the other process does not send messages like these.
    mutating func next() throws(MessageError) -> Message? {
        while let (head, piece, rest) = try nextFrame() {
            guard var message = begun.removeValue(forKey: head) else {
                if rest == 0 { return Message(head.kind, head.number, Array(piece)) }
                var message = Begun(content: Array(piece), size: piece.count + rest)
                begunSize += message.size
                guard begunSize <= limit else {
                    throw .noFrame(.tooLong(begunSize, limit: limit))
                }
                message.tail.reserveCapacity(rest)
                begun[head] = message
                continue
            }
            message.tail += piece
            guard message.content.count + message.tail.count + rest == message.size else {
                throw .unexpected(head.kind)
            }
            guard rest == 0 else {
                begun[head] = message
                continue
            }
            begunSize -= message.size
            return Message(head.kind, head.number, message.content, message.tail)
        }
        return nil
    }

    /// Takes the next frame: a piece, and the size of what goes on with it.
    private mutating func nextFrame() throws(MessageError) -> (Head, ArraySlice<UInt8>, Int)? {
        let next: ArraySlice<UInt8>?
        do throws(FrameError) { next = try frames.next() } catch { throw .noFrame(error) }
        guard var frame = next else { return nil }
        guard let first = frame.first, let kind = Message.Kind(rawValue: first & ~Message.goesOn)
        else { throw frame.first.map { .unknownKind($0) } ?? .tooShort(0) }
        let headSize = Message.headSize + (first & Message.goesOn != 0 ? 4 : 0)
        guard frame.count >= headSize else { throw .tooShort(frame.count) }
        let numbers = frame.prefix(headSize).dropFirst()
        frame = frame.dropFirst(headSize)
        return (
            Head(kind: kind, number: numbers.prefix(8).littleEndian), frame,
            Int(numbers.dropFirst(8).littleEndian)
        )
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
    case tooMuchKept
    case descriptors

    var description: String {
        switch self {
        case .noFrame(let error): error.description
        case .tooShort(let length):
            "a message has \(length) bytes: expected at least \(Message.headSize)"
        case .unknownKind(let kind): "there is no message of the kind \(kind)"
        case .unfinished: "a message has begun and does not go on"
        case .tooMuchKept:
            "it lets its host keep more than \(MessageChannel.mostKept >> 20) MB: names, calls and answers that were not read"
        case .descriptors: "a message brings descriptors, which no message does"
        case .unexpected(let kind): "a message of the kind '\(kind)' is damaged or was not due"
        }
    }
}

/// The messages that a socket has not taken yet. A large message goes in pieces, and those of other calls take turns with
/// it; messages about one call, or one instance, keep their order. Nothing moves a content: its pieces are copied once,
/// when their turn comes. A pure value.
struct SendQueue {
    /// The subject of messages that keep their order.
    private struct Lane: Hashable {
        enum Subject { case ownCall, othersCall, instance, log }

        let subject: Subject
        let number: UInt64

        init(_ message: Message) {
            number = message.kind == .log ? 0 : message.number
            subject =
                switch message.kind {
                case .open, .close: .instance
                case .log: .log
                default: message.isReply ? .othersCall : .ownCall
                }
        }
    }

    private struct Waiting {
        var messages: Line<Message>
        /// How much of the first message's content has had its turn.
        var sent = 0
    }

    private var lanes: [Lane: Waiting] = [:]
    /// The lanes that have messages, the next one first.
    private var turns = Line<Lane>()
    /// The frames whose turn has come, and how much of them the socket has taken.
    private var frames: [UInt8] = []
    private var taken = 0
    private var waiting = 0
    /// The part of that which answers the other end.
    private(set) var replies = 0
    /// The size of the messages of which the other end has a part.
    private var begunSize = 0

    var isEmpty: Bool { taken == frames.count }

    /// The size of what waits. In bytes. A message counts as a whole until its last piece has had its turn, as it does for the
    /// other end, which keeps the pieces.
    var size: Int { waiting + frames.count - taken }

    mutating func add(_ message: Message) {
        if turns.isEmpty, message.endOfPiece(at: 0) == message.size,
            frames.count < Message.pieceSize
        {
            return message.appendPiece(0..<message.size, to: &frames)
        }
        let lane = Lane(message)
        count(message, 1)
        if lanes[lane]?.messages.append(message) == nil {
            lanes[lane] = Waiting(messages: Line(message))
            turns.append(lane)
        }
        fill()
    }

    private mutating func count(_ message: Message, _ sign: Int) {
        waiting += sign * message.keptSize
        if message.isReply { replies += sign * message.keptSize }
    }

    /// Offers bytes to a socket as long as it takes some.
    ///
    /// - Parameter write: A function that returns how many of the bytes the socket has taken; none or fewer if it is full.
    mutating func send(_ write: (UnsafeRawBufferPointer) -> Int) {
        while !isEmpty {
            let count = frames.withUnsafeBytes { write(.init(rebasing: $0[taken...])) }
            guard count > 0 else { return }
            taken += count
            fill()
        }
    }

    /// Lets the next pieces have their turn once the socket has taken those before.
    private mutating func fill() {
        guard isEmpty else { return }
        frames.removeAll(keepingCapacity: true)
        taken = 0
        while frames.count < Message.pieceSize, let lane = turns.next() {
            guard var own = lanes.removeValue(forKey: lane), let message = own.messages.first
            else { continue }
            let end = message.endOfPiece(at: own.sent)
            if own.sent == 0, end < message.size {
                // The other end keeps what has begun, and no more of it than one message may have.
                guard begunSize == 0 || begunSize + message.size <= Message.contentLimit else {
                    lanes[lane] = own
                    turns.append(lane)
                    continue
                }
                begunSize += message.size
            }
            message.appendPiece(own.sent..<end, to: &frames)
            if own.sent > 0, end == message.size { begunSize -= message.size }
            own.sent = end
            if end == message.size {
                count(message, -1)
                _ = own.messages.next()
                own.sent = 0
            }
            guard !own.messages.isEmpty else { continue }
            lanes[lane] = own
            turns.append(lane)
        }
    }
}

/// Elements that leave in the order in which they came.
private struct Line<Element> {
    private var elements: [Element?] = []
    private var start = 0

    init(_ elements: Element...) { self.elements = elements }

    var isEmpty: Bool { start == elements.count }
    var first: Element? { isEmpty ? nil : elements[start] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func next() -> Element? {
        guard !isEmpty else { return nil }
        defer {
            elements[start] = nil
            start += 1
            // Moves each element once on average.
            if start > elements.count / 2 {
                elements.removeFirst(start)
                start = 0
            }
        }
        return elements[start]
    }
}
