// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

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
            switch message.kind {
            case .call, .cancel, .more: subject = .ownCall
            case .answer, .failure, .stream, .element, .end: subject = .othersCall
            case .open, .close: subject = .instance
            case .log: subject = .log
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

    /// The memory that a message takes besides its content. In bytes.
    private static let cost = 128

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
        waiting += message.size + Self.cost
        if lanes[lane]?.messages.append(message) == nil {
            lanes[lane] = Waiting(messages: Line(message))
            turns.append(lane)
        }
        fill()
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
            message.appendPiece(own.sent..<end, to: &frames)
            own.sent = end
            if end == message.size {
                waiting -= message.size + Self.cost
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
