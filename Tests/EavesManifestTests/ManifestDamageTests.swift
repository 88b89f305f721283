// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesManifest
import EavesTestSupport
import Testing

@Suite("Damaged manifests")
struct ManifestDamageTests {
    private let bytes = Array(wholeManifest.utf8)

    @Test("refuses each beginning of a manifest with one message that names a place")
    func truncated() throws {
        let end = try #require(bytes.lastIndex(of: UInt8(ascii: "}")))
        for count in Soak.sample(0...end, every: 10) {
            let text = Array(bytes[..<count])
            let error = #expect(throws: ManifestError.self) {
                try Manifest(path: "manifest.json", bytes: text)
            }
            #expect(error?.problems.count == 1)
            #expect(error?.problems.first?.position != nil)
        }
    }

    @Test("a manifest with a changed byte is read, or refused with a reason")
    func flipped() throws {
        var (read, refused) = (0, 0)
        for offset in Soak.sample(bytes.indices, every: 10) {
            let changes = (0..<8).map { bytes[offset] ^ (1 << $0) } + [0, 0x22, 0x5C, 0x7D, 0xFF]
            for value in changes where value != bytes[offset] {
                var damaged = bytes
                damaged[offset] = value
                do throws(ManifestError) {
                    _ = try Manifest(path: "manifest.json", bytes: damaged)
                    read += 1
                } catch {
                    #expect(!error.diagnostics.isEmpty)
                    #expect(error.diagnostics.allSatisfy { $0.code == .badData })
                    refused += 1
                }
            }
        }
        #expect(read > 0 && refused > read)
    }

    @Test("a manifest with a missing byte is read or refused")
    func shortened() throws {
        for offset in Soak.sample(bytes.indices, every: 10) {
            var damaged = bytes
            damaged.remove(at: offset)
            do throws(ManifestError) {
                _ = try Manifest(path: "manifest.json", bytes: damaged)
            } catch {
                #expect(!error.diagnostics.isEmpty)
            }
        }
    }
}
