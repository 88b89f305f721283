// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesManifest
import EavesProcess
import EavesRules
import EavesTestSupport
import Testing

@testable import EavesVerify

@Suite("the request to the probe", .onOwnThreads)
struct ProbeRequestTests {
    private func request(sha256: String?, feature: String?) -> ProbeRequest {
        var entry = CatalogEntry(id: "a", path: "Plugins/a \"b\".so", file: "/x/Plugins/a.so")
        entry.sha256 = sha256
        let host = HostProfile(
            abi: 1, interface: InterfaceVersion(major: 1, minor: 0), compiler: "6.3")
        let module = InspectedModule(entry, among: nil, in: nil, host: host)
        return ProbeRequest(module, checks: ["loads", "registers"], feature: feature)
    }

    @Test("is understood as it was sent")
    func roundTrip() throws {
        func copy(_ request: ProbeRequest) throws -> ProbeRequest {
            let content = try Frame.bytes(of: request).dropFirst(Frame.headSize)
            return try Frame.value(ProbeRequest.self, in: content)
        }
        for sent in [request(sha256: nil, feature: nil), request(sha256: "00", feature: "rain")] {
            #expect(try copy(sent) == sent)
        }
        #expect(request(sha256: "00", feature: nil).sha256 == "00")
        #expect(request(sha256: nil, feature: "rain").feature == "rain")
        var walled = request(sha256: nil, feature: nil)
        walled.permissions = Permissions()
        walled.permissions?.read = ["/data"]
        walled.permissions?.connect = [try #require(NetworkEndpoint("127.0.0.1:80"))]
        #expect(try copy(walled) == walled)
    }
}
