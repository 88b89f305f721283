// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import Testing

@Suite("Permissions")
struct PermissionsTests {
    @Test("are read from the manifest, with paths that become absolute")
    func reading() throws {
        let read = try manifest(
            """
            {"manifest": 1, "modules": {"a": {"isolation": "process", "permissions": {
                "read": ["x", "/y"], "write": ["../z"], "connect": ["localhost:1"],
                "listen": ["[::1]:2"], "resolve": true, "run": ["/bin/true"], "environment": ["HOME"]
            }}}}
            """)
        let permissions = try #require(read.entry("a")).permissions.absolute(from: "/srv/here")
        #expect(permissions.read == ["/srv/here/x", "/y"])
        #expect(permissions.write == ["/srv/z"])
        #expect(permissions.run == ["/bin/true"])
        #expect(permissions.connect == [NetworkEndpoint(host: "localhost", port: 1)])
        #expect(permissions.listen == [NetworkEndpoint(host: "::1", port: 2)])
        #expect(permissions.environment == ["HOME"])
        #expect(permissions.resolvesNames && permissions.usesNetwork)
        #expect(!Permissions().usesNetwork)
    }

    @Test(
        "name an address and a port",
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1", 8080), ("*:443", nil, 443), ("a.b:*", "a.b", nil),
            ("[fe80::1]:65535", "fe80::1", 65535), ("*:*", nil, nil),
        ] as [(String, String?, UInt16?)])
    func endpoint(_ text: String, _ host: String?, _ port: UInt16?) {
        let endpoint = NetworkEndpoint(text)
        #expect(endpoint == NetworkEndpoint(host: host, port: port))
        #expect(endpoint?.text == text)
    }

    @Test(
        "name no other text",
        arguments: ["", ":", "a", "a:", ":1", "a:0", "a:65536", "a:1x", "[::1]", "::1:1", "a/b:1"])
    func badEndpoint(_ text: String) {
        #expect(NetworkEndpoint(text) == nil)
    }
}
