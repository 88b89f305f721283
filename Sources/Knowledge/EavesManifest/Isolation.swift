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
    /// The absolute paths that modules of the manifest may change: a link in there may be one of theirs.
    package var changeable: [String] = []

    package init() {}

    /// The files and folders that it may use.
    package var paths: [String] { read + write + run }

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
    /// Whether it cannot do without its host's decisions about some of its calls: connections, and processes.
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

/// The limits of a module in a process of its own.
package struct IsolationLimits: Hashable, Sendable {
    /// The time that each of its calls has; `nil` for no limit.
    package var call: Duration?
    /// The memory that the process may have for itself, in bytes; `nil` for no limit.
    package var memory: UInt64?
    /// The number of processes at one time, its own among them.
    package var processes = Self.usualProcesses

    /// The most that its temporary files may take, in bytes of the disk.
    package var temporary = Self.usualTemporary

    package static let usualProcesses = 64
    package static let usualTemporary: UInt64 = 1 << 30
    package static let mostProcesses = 10_000

    /// The value that the manifest would have, with all keys; `null` for no limit.
    package var json: JSON {
        [
            "call": call.map { .string(Quantity.text($0)) } ?? .null,
            "memory": memory.map { .string(Quantity.text(bytes: $0)) } ?? .null,
            "processes": .integer(processes),
            "temporary": .string(Quantity.text(bytes: temporary)),
        ]
    }

    /// The limits that the manifest gives, as a list for people; empty if it gives none.
    package var words: [String] {
        [
            call.map { "\(Quantity.text($0)) for a call" },
            memory.map { "\(Quantity.text(bytes: $0)) of memory" },
            processes == Self.usualProcesses ? nil : "\(processes) processes",
            temporary == Self.usualTemporary
                ? nil : "\(Quantity.text(bytes: temporary)) of temporary files",
        ].compactMap { $0 }
    }

    package init() {}
}

/// Times and amounts of memory as the manifest has them: a whole number and a unit, such as `5s` and `256MB`.
package enum Quantity {
    private static let times = [("min", 60_000), ("s", 1000), ("ms", 1)]
    /// A kilobyte has 1,024 bytes.
    private static let sizes = [("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)]

    static func duration(_ text: String) -> Duration? {
        number(text, times, limit: 86_400_000).map { .milliseconds($0) }
    }

    static func bytes(_ text: String) -> UInt64? {
        number(text, sizes, limit: 1 << 50).map { UInt64($0) }
    }

    /// The shortest text of a time that the manifest can have.
    static func text(_ duration: Duration) -> String {
        text(Int(duration / .milliseconds(1)), times)
    }

    package static func text(bytes: UInt64) -> String { text(Int(clamping: bytes), sizes) }

    private static func text(_ number: Int, _ units: [(name: String, size: Int)]) -> String {
        let unit = units.first { number % $0.size == 0 } ?? units[units.count - 1]
        return "\(number / unit.size)\(unit.name)"
    }

    /// At least 1, and at most the limit.
    private static func number(_ text: String, _ units: [(name: String, size: Int)], limit: Int)
        -> Int?
    {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let name = text[digits.endIndex...]
        guard let number = Int(digits), let unit = units.first(where: { $0.name == name })?.size,
            case let (product, isTooLarge) = number.multipliedReportingOverflow(by: unit),
            !isTooLarge, (1...limit).contains(product)
        else { return nil }
        return product
    }
}
