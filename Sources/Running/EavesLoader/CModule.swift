// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves
package import EavesInterface
import EavesSystem
import Glibc

/// A feature that gets the bytes of its arguments, whether they are UTF-8 or not, or gives them to another process.
package protocol ByteFeature: Feature {}

// SAFETY: holds an immutable copy, and `eaves.h` tells modules that any thread may call `launch`.
/// A feature that a module has registered through the C functions.
final class CFeature: ByteFeature, @unchecked Sendable {
    private let feature: eaves_feature

    init(_ feature: eaves_feature) {
        self.feature = feature
    }

    deinit {
        feature.destroy?(feature.state)
    }

    func launch(_ launch: Launch) async throws -> ExitCode {
        let code = launch.arguments.withCList { list in
            // SAFETY: C makes no difference between the two types of pointers, and the module only reads.
            let texts = UnsafeRawPointer(list).assumingMemoryBound(to: UnsafePointer<CChar>?.self)
            var launch = eaves_launch(
                size: UInt32(MemoryLayout<eaves_launch>.size), argc: Int32(launch.arguments.count),
                argv: texts, input: 0, output: 1, error: 2)
            return feature.launch(feature.state, &launch)
        }
        return ExitCode(UInt8(exactly: code) ?? 255)
    }
}

// SAFETY: holds an immutable copy, and `eaves.h` tells modules that any thread may call its functions. The host
// calls one at a time.
/// A life cycle that a module has registered through the C functions.
class CLifecycle: Lifecycle, @unchecked Sendable {
    fileprivate let lifecycle: eaves_lifecycle

    init(_ lifecycle: eaves_lifecycle) {
        self.lifecycle = lifecycle
    }

    deinit {
        lifecycle.destroy?(lifecycle.state)
    }

    func start(_ resolver: any Resolver) throws {
        guard let start = lifecycle.start else { return }
        try CAnswer.checking("start") { start(lifecycle.state, $0) }
    }

    func stop() throws {
        guard let stop = lifecycle.stop else { return }
        try CAnswer.checking("stop") { stop(lifecycle.state, $0) }
    }

    var isHealthy: Bool {
        get throws {
            guard let isHealthy = lifecycle.is_healthy else { return true }
            let (code, answer) = CAnswer.of { isHealthy(lifecycle.state, $0) }
            if let reason = answer.reason { throw CLifecycleError(description: reason) }
            return code == 1
        }
    }
}

// SAFETY: as of the class above; it adds no stored property.
/// A life cycle of a module in C that hands over its state.
final class CStateHandover: CLifecycle, StateHandover, @unchecked Sendable {
    func snapshot() throws -> [UInt8] {
        guard let snapshot = lifecycle.snapshot else { return [] }
        return try CAnswer.checking("snapshot") { snapshot(lifecycle.state, $0) }
    }

    func restore(_ snapshot: [UInt8]) throws {
        guard let restore = lifecycle.restore else { return }
        try CAnswer.checking("restore") { answer in
            snapshot.withUnsafeBytes { bytes in
                restore(
                    lifecycle.state, bytes.isEmpty ? nil : bytes.baseAddress, UInt64(bytes.count),
                    answer)
            }
        }
    }
}

/// The answer of one call of a function in C.
private struct CAnswer {
    /// Why the function fails; `nil` if it has not said so.
    var reason: String?
    var bytes: [UInt8] = []

    /// The structure that the module gets, followed by the answer that it belongs to.
    private struct Frame {
        var answer: eaves_answer
        // SAFETY: valid until `of`, which has made it, returns.
        var target: UnsafeMutablePointer<CAnswer>
    }

    static func of(
        _ call: (UnsafePointer<eaves_answer>) -> Int32
    ) -> (code: Int32, answer: CAnswer) {
        var answer = CAnswer()
        // SAFETY: answer and frame are locals that outlive the call, and the module must not use them after it
        // (eaves.h).
        let code = withUnsafeMutablePointer(to: &answer) { target in
            var frame = Frame(
                answer: eaves_answer(
                    size: UInt32(MemoryLayout<eaves_answer>.size),
                    fail: { CAnswer.target($0).pointee.reason = String(cString: $1) },
                    write: { CAnswer.target($0).pointee.write($1, $2) }),
                target: target)
            return withUnsafePointer(to: &frame) {
                call(UnsafeRawPointer($0).assumingMemoryBound(to: eaves_answer.self))
            }
        }
        return (code, answer)
    }

    /// Calls a function that returns 0 if it succeeds.
    ///
    /// - Returns: The bytes that it has written.
    @discardableResult
    static func checking(
        _ function: String, _ call: (UnsafePointer<eaves_answer>) -> Int32
    ) throws(CLifecycleError) -> [UInt8] {
        let (code, answer) = of(call)
        guard code == 0, answer.reason == nil else {
            let reason = answer.reason ?? "\(function) returned \(code) and gave no reason"
            throw CLifecycleError(description: reason)
        }
        return answer.bytes
    }

    private static func target(
        _ answer: UnsafePointer<eaves_answer>
    ) -> UnsafeMutablePointer<CAnswer> {
        // SAFETY: modules pass the pointer that they got, which is the start of a `Frame`.
        UnsafeRawPointer(answer).assumingMemoryBound(to: Frame.self).pointee.target
    }

    private mutating func write(_ start: UnsafeRawPointer?, _ count: UInt64) {
        // SAFETY: the module promises that so many bytes are there.
        bytes += UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
    }
}

struct CLifecycleError: Error, Hashable, Sendable, CustomStringConvertible {
    let description: String
}
