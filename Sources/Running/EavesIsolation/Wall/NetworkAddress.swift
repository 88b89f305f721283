// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesChild
import EavesManifest
import EavesSystem
import Glibc

/// An address of IP: 4 bytes, or 16.
struct NetworkAddress: Hashable, Sendable {
    let bytes: [UInt8]

    static let namePort: UInt16 = 53

    /// - Returns: `nil` for a call with another kind of address.
    init?(_ call: eaves_wall_call) {
        guard call.length > 0 else { return nil }
        let all = withUnsafeBytes(of: call.address) { Array($0) }
        self.init(Array(all.prefix(Int(call.length))))
    }

    init?(_ text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        let family = [AF_INET, AF_INET6].first { inet_pton($0, text, &bytes) == 1 }
        guard let family else { return nil }
        self.init(Array(bytes.prefix(family == AF_INET ? 4 : 16)))
    }

    init?(_ address: UnsafePointer<sockaddr>?) {
        guard let address else { return nil }
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            self = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { ip in
                NetworkAddress(withUnsafeBytes(of: ip.pointee.sin_addr) { Array($0) })
            }
        case AF_INET6:
            self = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { ip in
                NetworkAddress(withUnsafeBytes(of: ip.pointee.sin6_addr) { Array($0) })
            }
        default: return nil
        }
    }

    /// An address of version 4 that is written as one of version 6 is the same.
    init(_ bytes: [UInt8]) {
        let isMapped =
            bytes.count == 16 && bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF
            && bytes[11] == 0xFF
        self.bytes = isMapped ? Array(bytes[12...]) : bytes
    }

    var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    var text: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        let shown = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: shown, as: UTF8.self)
    }

    func text(port: UInt16) -> String {
        bytes.count == 4 ? "\(text):\(port)" : "[\(text)]:\(port)"
    }

    static var nameServers: Set<NetworkAddress> {
        guard let bytes = try? Files.read("/etc/resolv.conf") else { return [] }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return Set(
            lines.compactMap { line in
                let words = line.split { $0 == " " || $0 == "\t" }
                guard words.count > 1, words[0] == "nameserver" else { return nil }
                return NetworkAddress(String(words[1]))
            })
    }
}

/// The decision about a call of a module for a socket.
enum SocketVerdict: Equatable {
    case allowed
    /// UDP to an address that the module may connect to over TCP. In this way the C library finds out from where it reaches each
    /// address of a name: it is answered, with a socket that leads to no port there.
    case source
    /// It depends on the addresses that these names have now.
    case unsure([String])
    case refused
}

extension Permissions {
    /// - Parameters:
    ///   - connects: Whether the module connects there; otherwise it listens.
    ///   - address: `nil` for one that is not of IP.
    ///   - known: The addresses that are known of a name.
    func verdict(
        connects: Bool, to address: NetworkAddress?, _ port: UInt16, isDatagram: Bool,
        _ known: (String) -> Set<NetworkAddress>
    ) -> SocketVerdict {
        guard let address, !connects || port != 0 else { return .refused }
        if connects, resolvesNames, port == NetworkAddress.namePort,
            NetworkAddress.nameServers.contains(address)
        {
            return .allowed
        }
        if isDatagram, !connects || !resolvesNames { return .refused }
        let verdict = (connects ? connect : listen).verdict(on: address, port, known)
        return isDatagram && verdict == .allowed ? .source : verdict
    }
}

extension [NetworkEndpoint] {
    /// Whether some endpoint is this address.
    func verdict(
        on address: NetworkAddress, _ port: UInt16, _ known: (String) -> Set<NetworkAddress>
    ) -> SocketVerdict {
        var names: [String] = []
        for endpoint in self where endpoint.port == nil || endpoint.port == port {
            guard let host = endpoint.host else { return .allowed }
            if host == "localhost" {
                if address.isLoopback { return .allowed }
            } else if let literal = NetworkAddress(host) {
                if literal == address { return .allowed }
            } else {
                if known(host).contains(address) { return .allowed }
                names.append(host)
            }
        }
        return names.isEmpty ? .refused : .unsure(names)
    }
}
