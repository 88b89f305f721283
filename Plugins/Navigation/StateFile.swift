// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import FoundationEssentials
import Glibc

/// A file that keeps the place where a person is, as JSON.
struct StateFile: Sendable {
    let path: String

    /// The state as one line of JSON.
    static func json(of state: NavigationState) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(state), as: UTF8.self)
    }

    /// Reads the state; `nil` if there is no file.
    ///
    /// - Throws: ``StateFileError`` if it cannot be read, or is not a state.
    func load() throws(StateFileError) -> NavigationState? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .unreadable(path, reason: reason())
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(path, reason: reason()) }
            guard count > 0 else { break }
            bytes += part[..<count]
        }
        do {
            return try JSONDecoder().decode(NavigationState.self, from: Data(bytes))
        } catch {
            throw .noState(path)
        }
    }

    /// Writes the state: into a file of its own, which then takes the place of the former one.
    func save(_ state: NavigationState) throws {
        let text = try Self.json(of: state) + "\n"
        let temporary = "\(path).\(getpid())"
        let descriptor = Glibc.open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StateFileError.unwritable(path, reason: reason()) }
        var rest = Array(text.utf8)[...]
        var failure: String?
        while !rest.isEmpty, failure == nil {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                failure = reason()
            }
        }
        close(descriptor)
        if failure == nil, rename(temporary, path) != 0 { failure = reason() }
        if let failure {
            unlink(temporary)
            throw StateFileError.unwritable(path, reason: failure)
        }
    }

    /// Moves a damaged file out of the way.
    func setAside() throws(StateFileError) {
        guard rename(path, path + ".damaged") == 0 else {
            throw .unwritable(path, reason: reason())
        }
    }

    private func reason() -> String { String(cString: strerror(errno)) }
}

/// A file with a state that cannot be used.
enum StateFileError: Error, CustomStringConvertible {
    case unreadable(String, reason: String)
    case unwritable(String, reason: String)
    case noState(String)

    var description: String {
        switch self {
        case .unreadable(let path, let reason): "cannot read \(path): \(reason)"
        case .unwritable(let path, let reason): "cannot write \(path): \(reason)"
        case .noState(let path): "\(path) holds no saved screens"
        }
    }
}
