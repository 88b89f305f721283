// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesChild
import EavesManifest
import EavesSystem
import Glibc
import Synchronization

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
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.init(Array(bytes.prefix(4)))
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.init(bytes)
        } else {
            return nil
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

    func text(port: UInt16) -> String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        let address = text.withUnsafeBufferPointer {
            $0.baseAddress.map { String(cString: $0) } ?? ""
        }
        return bytes.count == 4 ? "\(address):\(port)" : "[\(address)]:\(port)"
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

extension [NetworkEndpoint] {
    /// Whether some endpoint is this address. Blocks the thread until the names before it are resolved.
    func contain(_ address: NetworkAddress, _ port: UInt16, _ names: HostNames) -> Bool {
        contains { endpoint in
            guard endpoint.port == nil || endpoint.port == port else { return false }
            guard let host = endpoint.host else { return true }
            if host == "localhost" { return address.isLoopback }
            if let literal = NetworkAddress(host) { return literal == address }
            return names.addresses(of: host).contains(address)
        }
    }
}

/// The addresses of names, which are asked for again after a few seconds.
final class HostNames: Sendable {
    private let known = Mutex<
        [String: (addresses: Set<NetworkAddress>, end: ContinuousClock.Instant)]
    >(
        [:])

    private static let time = Duration.seconds(5)

    /// Blocks the thread until the name is resolved.
    func addresses(of name: String) -> Set<NetworkAddress> {
        let kept = known.withLock { $0[name] }
        if let kept, kept.end > .now { return kept.addresses }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        var addresses: Set<NetworkAddress> = []
        if getaddrinfo(name, nil, &hints, &list) == 0 {
            defer { freeaddrinfo(list) }
            var next = list
            while let entry = next?.pointee {
                if let address = Self.address(entry.ai_addr) { addresses.insert(address) }
                next = entry.ai_next
            }
        }
        known.withLock { [addresses] in $0[name] = (addresses, .now + Self.time) }
        return addresses
    }

    private static func address(_ address: UnsafePointer<sockaddr>?) -> NetworkAddress? {
        guard let address else { return nil }
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { ip in
                NetworkAddress(withUnsafeBytes(of: ip.pointee.sin_addr) { Array($0) })
            }
        case AF_INET6:
            return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { ip in
                NetworkAddress(withUnsafeBytes(of: ip.pointee.sin6_addr) { Array($0) })
            }
        default: return nil
        }
    }
}
