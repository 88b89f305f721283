// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Snapshots by the ids of their modules.
package typealias HandedState = [String: [UInt8]]

/// A message between a process that serves and the one that takes over. Each begins with its kind and its size.
///
///     serving process                successor
///     prepare                   →
///                               ←    prepared     its modules are loaded, and their state is restored
///     rehearse                  →                 if there is state, and sockets to take calls on
///                               ←    rehearsed    its feature has begun, and waits for its sockets
///     begin                     →                 here the old feature takes no more calls, if there is state
///                               ←    ready        its feature takes calls
///     takeBack                  →                 a call that is still under way in the old process needs the state
///                               ←    given        the state; who needs it in the fresh process waits
///     giveAgain                 →                 that call has ended, and this is the state now
///     released                  →                 the old process is done, and this is what it has of modules that it has
///                                                 loaded meanwhile, or written to without a `call`
///
/// The two go through the steps from `takeBack` to `giveAgain` as often as a call needs it.
///
/// The end of the connection before that means that the other process is gone.
package enum HandoverMessage: Hashable, Sendable {
    case prepare(Preparation)
    case prepared
    /// The feature may begin, and gets no sockets yet.
    case rehearse
    case rehearsed
    /// The state as it is now. The feature may begin, and take calls.
    case begin(state: HandedState)
    case ready
    case takeBack
    /// Empty if the fresh process does not give the state.
    case given(state: HandedState)
    case giveAgain(state: HandedState)
    case released(state: HandedState)

    /// What a successor needs before it can take over.
    package struct Preparation: Hashable, Sendable {
        /// The modules that serve, by their ids.
        package var modules: [String]
        package var state: HandedState
        /// Whether the feature says when it is ready.
        package var saysReady: Bool

        package init(modules: [String], state: HandedState, saysReady: Bool) {
            self.modules = modules
            self.state = state
            self.saysReady = saysReady
        }
    }
}

// The bytes. Numbers have eight bytes, the lowest first; texts and lists begin with their count.
extension HandoverMessage {
    /// The size of the kind and the size of the rest.
    package static let headSize = 16
    /// No message is larger.
    package static let mostBytes = 1 << 32

    package var bytes: [UInt8] {
        var body = HandoverBytes()
        let kind: Int
        switch self {
        case .prepare(let preparation):
            kind = 1
            body.add(preparation.modules)
            body.add(preparation.state)
            body.add(preparation.saysReady ? 1 : 0)
        case .prepared: kind = 2
        case .rehearse: kind = 3
        case .rehearsed: kind = 4
        case .begin(let state):
            kind = 5
            body.add(state)
        case .ready: kind = 6
        case .released(let state):
            kind = 7
            body.add(state)
        case .takeBack: kind = 8
        case .given(let state):
            kind = 9
            body.add(state)
        case .giveAgain(let state):
            kind = 10
            body.add(state)
        }
        var head = HandoverBytes()
        head.add(kind)
        head.add(body.bytes.count)
        return head.bytes + body.bytes
    }

    /// The kind and the size of the rest.
    ///
    /// - Returns: `nil` if the bytes are none of ours.
    package static func head(_ bytes: [UInt8]) -> (kind: Int, size: Int)? {
        var head = HandoverBytes(bytes)
        guard let kind = head.number(), let size = head.number(), (1...10).contains(kind),
            (0...mostBytes).contains(size)
        else { return nil }
        return (kind, size)
    }

    /// - Returns: `nil` if the bytes are none of ours.
    package init?(kind: Int, _ bytes: [UInt8]) {
        var body = HandoverBytes(bytes)
        switch kind {
        case 1:
            guard let modules = body.texts(), let state = body.state(), let says = body.number()
            else { return nil }
            self = .prepare(Preparation(modules: modules, state: state, saysReady: says == 1))
        case 2: self = .prepared
        case 3: self = .rehearse
        case 4: self = .rehearsed
        case 5:
            guard let state = body.state() else { return nil }
            self = .begin(state: state)
        case 6: self = .ready
        case 7:
            guard let state = body.state() else { return nil }
            self = .released(state: state)
        case 8: self = .takeBack
        case 9:
            guard let state = body.state() else { return nil }
            self = .given(state: state)
        case 10:
            guard let state = body.state() else { return nil }
            self = .giveAgain(state: state)
        default: return nil
        }
        guard body.isAtEnd else { return nil }
    }
}

/// Bytes that are written or read from their beginning on.
private struct HandoverBytes {
    package private(set) var bytes: [UInt8]
    private var place = 0

    package init(_ bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    package var isAtEnd: Bool { place == bytes.count }

    package mutating func add(_ number: Int) {
        for shift in stride(from: 0, to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    package mutating func add(_ content: some Collection<UInt8>) {
        add(content.count)
        bytes += content
    }

    package mutating func add(_ texts: [String]) {
        add(texts.count)
        for text in texts { add(text.utf8) }
    }

    package mutating func add(_ state: HandedState) {
        add(state.count)
        for (module, snapshot) in state.sorted(by: { $0.key < $1.key }) {
            add(module.utf8)
            add(snapshot)
        }
    }

    package mutating func number() -> Int? {
        guard bytes.count - place >= 8 else { return nil }
        defer { place += 8 }
        return bytes[place..<place + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    package mutating func content() -> ArraySlice<UInt8>? {
        guard let count = number(), (0...bytes.count - place).contains(count) else { return nil }
        defer { place += count }
        return bytes[place..<place + count]
    }

    package mutating func texts() -> [String]? {
        guard let count = number(), (0...bytes.count - place).contains(count) else { return nil }
        var texts: [String] = []
        for _ in 0..<count {
            guard let content = content() else { return nil }
            texts.append(String(decoding: content, as: UTF8.self))
        }
        return texts
    }

    package mutating func state() -> HandedState? {
        guard let count = number(), (0...bytes.count - place).contains(count) else { return nil }
        var state: HandedState = [:]
        for _ in 0..<count {
            guard let module = content(), let snapshot = content() else { return nil }
            state[String(decoding: module, as: UTF8.self)] = Array(snapshot)
        }
        return state
    }
}
