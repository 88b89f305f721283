// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) import EavesInterface

// An error goes to the other process as its type's name and its description, and, if the interface declares it as
// Codable, as a value.
extension CallPeer {
    private static let cancellation = _typeName(CancellationError.self, qualified: true)

    func failureContent(_ error: any Error) -> [UInt8] {
        let type = _typeName(Swift.type(of: error), qualified: true)
        let known = WireTables.error(type)
        do {
            let writer = WireWriter()
            try writer.write(type)
            try writer.write("\(error)")
            try writer.write(known != nil)
            try known?.write(error, writer)
            return writer.bytes
        } catch {
            // The error's own `encode(to:)` has failed: its words go alone.
            let writer = WireWriter()
            for text in [type, "\(error)"] { try? writer.write(text) }
            try? writer.write(false)
            return writer.bytes
        }
    }

    func failure(_ content: [UInt8]) -> any Error {
        do {
            let reader = try WireReader(content)
            let type = try reader.read(String.self)
            let description = try reader.read(String.self)
            if type == Self.cancellation { return CancellationError() }
            if try reader.read(Bool.self), let known = WireTables.error(type) {
                return try known.read(reader)
            }
            return error(.failed(type: type, description: description))
        } catch {
            return self.error(.misunderstood("\(error)"))
        }
    }
}
