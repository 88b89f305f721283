// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves
package import EavesInterface
import EavesSystem
import Glibc

/// The state of one call of a module's entry point, for the host functions that the module calls.
///
/// It lies on the stack: every module that is loaded has one such call, and no part of the state
/// outlives it.
struct EntryCall {
    /// The size of the reserved memory after the table, by which ``HostTable/later`` grows. In
    /// bytes.
    static let room: UInt32 = 64

    /// The registrar that the module registers in: an object, so that calling it copies nothing.
    private let registrar: any Registrar & AnyObject
    private let table: HostTable
    private let log: (LogMessage) -> Void
    /// The texts that the module has got. They are released when the call ends.
    private var texts: [UnsafeMutablePointer<CChar>] = []
    private var hasLifecycle = false
    /// Why the registration is invalid, whatever the entry point returns: the reason for which the
    /// host refused something, or the last message that the module passed to `fail`.
    private var refusal: String?

    /// Calls an entry point with a table that lives as long as the call.
    ///
    /// - Parameter log: Called with each message that the module logs meanwhile.
    /// - Returns: The result of the entry point, and why the registration is invalid if it is.
    static func run(
        _ entry: eaves_entry, registrar: any Registrar & AnyObject, shown table: HostTable,
        log: @escaping (LogMessage) -> Void
    ) -> (code: Int32, refusal: String?) {
        var call = EntryCall(registrar: registrar, table: table, log: log)
        defer { for text in call.texts { free(text) } }
        // SAFETY: the call state, the registrar as Swift modules see it, and the frame are locals
        // that outlive the entry point's call, and the module must not use them after it (eaves.h).
        let code = withUnsafeMutablePointer(to: &call) { call in
            withUnsafePointer(to: registrar as any Registrar) { registrar in
                var frame = Frame(
                    table: eaves_host(
                        abi_version: table.abiVersion,
                        size: UInt32(MemoryLayout<eaves_host>.size) + table.growth,
                        registrar: UnsafeMutableRawPointer(mutating: UnsafeRawPointer(registrar)),
                        register_feature: { EntryCall.of($0).pointee.register($1) },
                        fail: { EntryCall.of($0).pointee.refusal = String(cString: $1) },
                        log: { EntryCall.of($0).pointee.write(level: $1, String(cString: $2)) },
                        settings: { EntryCall.of($0).pointee.settingsText() },
                        path: { EntryCall.of($0).pointee.path(String(cString: $1)) },
                        register_lifecycle: { EntryCall.of($0).pointee.register($1) }),
                    call: call)
                return withUnsafePointer(to: &frame) {
                    entry(UnsafeRawPointer($0).assumingMemoryBound(to: eaves_host.self))
                }
            }
        }
        return (code, call.refusal)
    }

    /// The table, followed by the call that it belongs to: C functions have no context of their
    /// own.
    private struct Frame {
        var table: eaves_host
        /// ``room`` bytes, where the table of a later host would continue.
        var rest: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
            (0, 0, 0, 0, 0, 0, 0, 0)
        // SAFETY: valid until `run`, which has made it, returns.
        var call: UnsafeMutablePointer<EntryCall>
    }

    private static func of(_ host: UnsafePointer<eaves_host>) -> UnsafeMutablePointer<EntryCall> {
        // SAFETY: modules pass the pointer that they got, which is the start of a `Frame`.
        UnsafeRawPointer(host).assumingMemoryBound(to: Frame.self).pointee.call
    }

    private mutating func register(_ feature: UnsafePointer<eaves_feature>) -> Int32 {
        if table.refuses { return refuse("this host accepts no feature") }
        guard feature.pointee.size >= Self.firstFeatureSize else {
            return refuse(
                "eaves_feature.size: expected at least \(Self.firstFeatureSize), "
                    + "found \(feature.pointee.size)")
        }
        // SAFETY: the fields are read as optionals, since C does not enforce the header's non-null.
        // The offsets are those that layout.c asserts.
        let fields = UnsafeRawPointer(feature)
        let name = fields.load(fromByteOffset: 8, as: UnsafePointer<CChar>?.self)
        let launch = fields.load(fromByteOffset: 24, as: UnsafeRawPointer?.self)
        guard let name, launch != nil else {
            return refuse("eaves_feature: \(name == nil ? "name" : "launch") is NULL")
        }
        let adapter = CFeature(feature.pointee)
        registrar.register(
            (any Feature).self,
            // C modules do not tell more of the place.
            RegistrationOptions(
                name: String(cString: name), place: SourcePlace("eaves_register")),
            factory: { _ in adapter }, completed: nil)
        return 0
    }

    private mutating func register(_ lifecycle: UnsafePointer<eaves_lifecycle>) -> Int32 {
        if table.refuses { return refuse("this host accepts no life cycle") }
        guard !hasLifecycle else {
            return refuse("register_lifecycle is called twice, and a module has one life cycle")
        }
        guard lifecycle.pointee.size >= Self.firstLifecycleSize else {
            return refuse(
                "eaves_lifecycle.size: expected at least \(Self.firstLifecycleSize), "
                    + "found \(lifecycle.pointee.size)")
        }
        let given = lifecycle.pointee
        guard (given.snapshot == nil) == (given.restore == nil) else {
            return refuse(
                "eaves_lifecycle: \(given.snapshot == nil ? "snapshot" : "restore") is NULL, and "
                    + "\(given.snapshot == nil ? "restore" : "snapshot") is not")
        }
        hasLifecycle = true
        registrar.lifecycle(given.snapshot == nil ? CLifecycle(given) : CStateHandover(given))
        return 0
    }

    // The sizes of the structures when they were first published. Later versions have all their fields.
    private static let firstFeatureSize = 40
    private static let firstLifecycleSize = 64

    private mutating func refuse(_ reason: String) -> Int32 {
        refusal = reason
        return 1
    }

    private mutating func settingsText() -> UnsafePointer<CChar> {
        keep(registrar.settings.text())
    }

    private mutating func path(_ path: String) -> UnsafePointer<CChar> {
        keep(registrar.settings.path(relative: path))
    }

    /// A copy of a text that stays where it is until the call ends.
    private mutating func keep(_ text: String) -> UnsafePointer<CChar> {
        guard let copy = strdup(text) else { fatalError("there is no memory left for a text") }
        texts.append(copy)
        return UnsafePointer(copy)
    }

    private func write(level: Int32, _ text: String) {
        log(LogMessage(level: LogLevel(rawValue: level) ?? .info, text: text))
    }
}

/// Describes the host that a module meets while it registers: this one, or one that it could meet
/// elsewhere.
package struct HostTable: Hashable, Sendable {
    package static var current: HostTable { HostTable() }
    /// A host that accepts no feature.
    package static let refusing = HostTable(refuses: true)
    /// A host with an ABI that no module knows.
    package static let unknown = HostTable(abiVersion: .max)
    /// A later host of the same ABI, whose table has grown at the end.
    package static let later = HostTable(growth: EntryCall.room)

    var abiVersion = UInt32(EAVES_ABI_VERSION)
    /// By how much the table claims to be larger. In bytes.
    var growth: UInt32 = 0
    var refuses = false
}

/// A message that a module logs: through the C functions while it registers, or through a `Logger`.
package struct LogMessage: Hashable, Sendable {
    package let level: LogLevel
    package let text: String

    package init(level: LogLevel, text: String) {
        self.level = level
        self.text = text
    }
}

/// A feature that gets the bytes of its arguments, whether they are UTF-8 or not, or gives them to another process.
package protocol ByteFeature: Feature {}

// SAFETY: holds an immutable copy, and `eaves.h` tells modules that any thread may call `launch`.
/// A feature that a module has registered through the C functions.
private final class CFeature: ByteFeature, @unchecked Sendable {
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
