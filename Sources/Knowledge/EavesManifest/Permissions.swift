// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON
internal import EavesSystem

/// The rights of a module in a process of its own. It has no others; the kernel refuses them.
package struct Permissions: Hashable, Codable, Sendable {
    /// Files, and folders with all inside of them, that the module may read. As written, so relative to the manifest.
    package var read: [String] = []
    /// Files and folders that it may also change.
    package var write: [String] = []
    /// Addresses that it may connect to over TCP.
    package var connect: [NetworkEndpoint] = []
    /// Addresses at which it may take connections over TCP.
    package var listen: [NetworkEndpoint] = []
    /// Whether it may ask for the addresses of names.
    package var resolvesNames = false
    /// Programs that it may start. They have its rights, and no others.
    package var run: [String] = []
    /// Names of variables of the host's environment that it gets.
    package var environment: [String] = []

    package init() {}

    package var json: JSON {
        [
            "read": .texts(read), "write": .texts(write), "connect": .texts(connect.map(\.text)),
            "listen": .texts(listen.map(\.text)), "resolve": .bool(resolvesNames),
            "run": .texts(run), "environment": .texts(environment),
        ]
    }

    package func absolute(from folder: String) -> Permissions {
        var absolute = self
        absolute.read = read.map { Path.absolute($0, from: folder) }
        absolute.write = write.map { Path.absolute($0, from: folder) }
        absolute.run = run.map { Path.absolute($0, from: folder) }
        return absolute
    }

    /// Whether connections of its own are among the rights.
    package var usesNetwork: Bool { !connect.isEmpty || !listen.isEmpty || resolvesNames }
    /// Whether some of its calls are decided about by its host: connections, and processes.
    package var needsBroker: Bool { usesNetwork || !run.isEmpty }
}

/// An address and a port of TCP, as the manifest has them: `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`,
/// `api.example.com:443`, `*:443` for each address, `127.0.0.1:*` for each port.
package struct NetworkEndpoint: Hashable, Codable, Sendable {
    /// A name or an address; `nil` for each.
    package let host: String?
    /// `nil` for each.
    package let port: UInt16?

    package init(host: String?, port: UInt16?) {
        self.host = host
        self.port = port
    }

    package init?(_ text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        var host = text[..<colon]
        let port = text[text.utf8.index(after: colon)...]
        if host.first == "[" {
            guard host.last == "]" else { return nil }
            host = host.dropFirst().dropLast()
            guard host.utf8.contains(UInt8(ascii: ":")) else { return nil }
        } else if host.utf8.contains(UInt8(ascii: ":")) {
            return nil
        }
        guard host == "*" || host.utf8.allSatisfy(Self.isOfHost), !host.isEmpty else { return nil }
        let number = UInt16(port)
        guard port == "*" || (number ?? 0) > 0 && port.utf8.allSatisfy({ $0 != 0x2B }) else {
            return nil
        }
        self.init(host: host == "*" ? nil : String(host), port: number)
    }

    package var text: String {
        let host = host.map { $0.utf8.contains(UInt8(ascii: ":")) ? "[\($0)]" : $0 } ?? "*"
        return "\(host):\(port.map { String($0) } ?? "*")"
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        Names.isLetterOrDigit(byte) || "-.:_".utf8.contains(byte)
    }
}
