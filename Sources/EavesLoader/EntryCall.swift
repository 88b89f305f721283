// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves
import EavesInterface

/// One call of a module's entry point, seen from the functions of the table that it is given. It lies
/// on the stack: each module that is loaded has one, and nothing else outlives the call.
struct EntryCall {
    /// Behind the table in memory there is as much that belongs to it, too. In bytes.
    static let room: UInt32 = 64

    /// Where the module registers: an object, so that a call of it copies nothing.
    private let registrar: any Registrar & AnyObject
    private let table: HostTable
    private let log: (LogMessage) -> Void
    /// Why the registration cannot stand, whatever the entry point returns; what the module said
    /// last through `fail`, unless the host refused something itself.
    private var fault: String?

    /// Calls the entry point with a table that lives as long as the call.
    ///
    /// - Parameters:
    ///   - entry: The entry point.
    ///   - registrar: Where the module registers.
    ///   - table: The host that it is shown.
    ///   - log: Takes what the module logs meanwhile.
    /// - Returns: What it returned, and why the registration cannot stand if it cannot.
    static func run(
        _ entry: eaves_entry, registrar: any Registrar & AnyObject, shown table: HostTable,
        log: @escaping (LogMessage) -> Void
    ) -> (code: Int32, fault: String?) {
        var call = EntryCall(registrar: registrar, table: table, log: log)
        // SAFETY: the call, the registrar as Swift modules see it, and the frame are locals that
        // outlive the entry point's call, and the module may use none of them after it (eaves.h).
        let code = withUnsafeMutablePointer(to: &call) { call in
            withUnsafePointer(to: registrar as any Registrar) { registrar in
                var frame = Frame(
                    table: eaves_host(
                        abi_version: table.abiVersion,
                        size: UInt32(MemoryLayout<eaves_host>.size) + table.growth,
                        registrar: UnsafeMutableRawPointer(mutating: UnsafeRawPointer(registrar)),
                        register_feature: { EntryCall.of($0).pointee.register($1) },
                        fail: { EntryCall.of($0).pointee.fault = String(cString: $1) },
                        log: { EntryCall.of($0).pointee.write(level: $1, String(cString: $2)) }),
                    call: call)
                return withUnsafePointer(to: &frame) {
                    entry(UnsafeRawPointer($0).assumingMemoryBound(to: eaves_host.self))
                }
            }
        }
        return (code, call.fault)
    }

    /// The table and, behind it, whose it is: C functions carry no context of their own.
    private struct Frame {
        var table: eaves_host
        /// ``room``: where a later host's table would go on.
        var rest: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
            (0, 0, 0, 0, 0, 0, 0, 0)
        // SAFETY: valid as long as `run`, which made it, has not returned.
        var call: UnsafeMutablePointer<EntryCall>
    }

    private static func of(_ host: UnsafePointer<eaves_host>) -> UnsafeMutablePointer<EntryCall> {
        // SAFETY: modules hand back the pointer they were given, which is the start of a `Frame`.
        UnsafeRawPointer(host).assumingMemoryBound(to: Frame.self).pointee.call
    }

    private mutating func register(_ feature: UnsafePointer<eaves_feature>) -> Int32 {
        if table.refuses { return refuse("this host accepts no feature") }
        guard feature.pointee.size >= Self.firstFeatureSize else {
            return refuse(
                "eaves_feature.size: expected at least \(Self.firstFeatureSize), "
                    + "found \(feature.pointee.size)")
        }
        // SAFETY: the fields are read as optionals, since C does not keep the header's non-null;
        // their offsets are those that layout.c asserts.
        let fields = UnsafeRawPointer(feature)
        let name = fields.load(fromByteOffset: 8, as: UnsafePointer<CChar>?.self)
        let launch = fields.load(fromByteOffset: 24, as: UnsafeRawPointer?.self)
        guard let name, launch != nil else {
            return refuse("eaves_feature: \(name == nil ? "name" : "launch") is NULL")
        }
        let adapter = CFeature(feature.pointee)
        registrar.registerWithoutArguments(
            (any Feature).self, name: String(cString: name), scope: .transient, place: Self.place
        ) { _ in
            adapter
        }
        return 0
    }

    /// Where it was registered, as far as a module in C tells.
    private static var place: SourcePlace { SourcePlace("eaves_register") }

    /// The size of the structure when it was first published: all its fields are still there.
    private static let firstFeatureSize = 40

    private mutating func refuse(_ reason: String) -> Int32 {
        fault = reason
        return 1
    }

    private func write(level: Int32, _ text: String) {
        log(LogMessage(level: LogMessage.Level(rawValue: level) ?? .info, text: text))
    }
}
