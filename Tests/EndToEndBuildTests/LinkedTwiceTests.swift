// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesLoader
import EavesRegistry
import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("a module that has the interface linked into it, and is loaded all the same", .onOwnThreads)
struct LinkedTwiceTests {
    @Test("registers another type of the same name, and the error of a request says so")
    func hint() throws {
        let file = try SwiftFixtures.carriesInterface.get().url
            .appendingPathComponent("carries-interface.so").path
        let registrar = StagedRegistrar(module: "carries-interface", settings: Settings())
        try Loader.open(file).register(in: registrar) { _ in }
        let container = Container()
        try registrar.commit(to: container)
        let registered = try #require(container.registrations.first)
        #expect(
            registered.request.qualifiedService
                == ServiceRequest((any Feature).self).qualifiedService)
        let error = try #require(throws: ResolutionError.self) {
            try container.resolve((any Feature).self, name: "carry")
        }
        let candidate = try #require(error.candidates.first)
        #expect(candidate.hasPrefix("feature 'carry' (carries-interface, CarriesInterface/"))
        #expect(
            candidate.hasSuffix(
                ": another type of the same name, since its module was linked twice; "
                    + "link modules without it, as 'eaves build' does"))
    }
}
