// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves
import EavesInterface

/// One call of a module's entry point, seen from the functions of the table that it is given.
final class EntryCall {
    /// Behind the table in memory there is as much that belongs to it, too. In bytes.
    static let room: UInt32 = 64

    private let registrar: any Registrar
    private let table: HostTable
    private let log: (LogMessage) -> Void
    /// Why the registration cannot stand, whatever the entry point returns; what the module said
    /// last through `fail`, unless the host refused something itself.
    private(set) var fault: String?

    init(
        registrar: any Registrar, table: HostTable = .current,
        log: @escaping (LogMessage) -> Void
    ) {
        self.registrar = registrar
        self.table = table
        self.log = log
    }

    /// Calls the entry point with a table that lives as long as the call.
    func run(_ entry: eaves_entry) -> Int32 {
        // SAFETY: `registrar` and the frame are locals that outlive the call, and the module may
        // use neither after it (eaves.h). `self` is alive because the caller holds it.
        withUnsafePointer(to: registrar) { registrar in
            var frame = Frame(
                table: eaves_host(
                    abi_version: table.abiVersion,
                    size: UInt32(MemoryLayout<eaves_host>.size) + table.growth,
                    registrar: UnsafeMutableRawPointer(mutating: UnsafeRawPointer(registrar)),
                    register_feature: { EntryCall.of($0).register($1) },
                    fail: { EntryCall.of($0).fail(String(cString: $1)) },
                    log: { EntryCall.of($0).write(level: $1, String(cString: $2)) }),
                // SAFETY: as above, `self` outlives the frame.
                call: Unmanaged.passUnretained(self))
            return withUnsafePointer(to: &frame) {
                entry(UnsafeRawPointer($0).assumingMemoryBound(to: eaves_host.self))
            }
        }
    }

    /// The table and, behind it, whose it is: C functions carry no context of their own.
    private struct Frame {
        var table: eaves_host
        /// ``room``: where a later host's table would go on.
        var rest: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
            (0, 0, 0, 0, 0, 0, 0, 0)
        // SAFETY: valid as long as `run`, which made it, has not returned.
        var call: Unmanaged<EntryCall>
    }

    private static func of(_ host: UnsafePointer<eaves_host>) -> EntryCall {
        // SAFETY: modules hand back the pointer they were given, which is the start of a `Frame`.
        UnsafeRawPointer(host).assumingMemoryBound(to: Frame.self).pointee.call
            .takeUnretainedValue()
    }

    private func register(_ feature: UnsafePointer<eaves_feature>) -> Int32 {
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
        registrar.registerPlain(
            (any Feature).self, name: String(cString: name), scope: .transient, place: Self.place
        ) { _ in
            adapter
        }
        return 0
    }

    /// Where it was registered, as far as a module in C tells.
    private static let place = SourcePlace(fileID: "eaves_register", line: 0)

    /// The size of the structure when it was first published: all its fields are still there.
    private static let firstFeatureSize = 40

    private func refuse(_ reason: String) -> Int32 {
        fault = reason
        return 1
    }

    private func fail(_ message: String) {
        fault = message
    }

    private func write(level: Int32, _ text: String) {
        log(LogMessage(level: LogMessage.Level(rawValue: level) ?? .info, text: text))
    }
}
