// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesTestSupport
import Testing

@Suite("What fits a host")
struct HostProfileTests {
    private func tag(
        abi: Int = 1, interface: String? = "1.3", compiler: String? = "6.3.1"
    ) -> BuildTag {
        BuildTag(abi: abi, interface: interface.flatMap(InterfaceVersion.init), compiler: compiler)
    }

    @Test("the same, an older minor version, another patch of the compiler, and C")
    func fits() {
        let host = HostProfile.sample
        #expect(host.compatibilityProblem(of: tag()) == nil)
        #expect(host.compatibilityProblem(of: tag(interface: "1.0")) == nil)
        #expect(host.compatibilityProblem(of: tag(compiler: "6.3")) == nil)
        #expect(host.compatibilityProblem(of: tag(compiler: "6.3.99")) == nil)
        #expect(host.compatibilityProblem(of: tag(compiler: "6.3-dev")) == nil)
        #expect(host.compatibilityProblem(of: tag(interface: nil, compiler: nil)) == nil)
    }

    @Test("nothing else, and both sides are named")
    func incompatible() throws {
        let host = HostProfile.sample
        let interface = { (text: String) in try #require(InterfaceVersion(text)) }
        #expect(host.compatibilityProblem(of: tag(abi: 2)) == .abi(built: 2, host: 1))
        #expect(
            host.compatibilityProblem(of: tag(abi: 0, interface: "2.0")) == .abi(built: 0, host: 1))
        for text in ["1.4", "2.0", "2.3", "0.3", "0.9"] {
            let problem = try CompatibilityProblem.interface(
                built: interface(text), host: host.interface)
            #expect(host.compatibilityProblem(of: tag(interface: text)) == problem)
            #expect(problem.message == "built for interface \(text), this host has 1.3")
        }
        for text in ["6.2.4", "6.4", "5.10", "7.3", "6.30", ""] {
            #expect(
                host.compatibilityProblem(of: tag(compiler: text))
                    == .compiler(built: text, host: "6.3", others: []))
        }
    }

    @Test("a compiler that the manifest allows, and no third one")
    func otherCompilers() throws {
        let host = HostProfile.sample.allowing(compilers: ["6.2", "7.0"])
        for text in ["6.3.1", "6.2", "6.2.4", "6.2-dev", "7.0"] {
            #expect(host.compatibilityProblem(of: tag(compiler: text)) == nil)
        }
        for text in ["6.1", "6.20", "7.1", "6", ""] {
            let problem = try #require(host.compatibilityProblem(of: tag(compiler: text)))
            #expect(
                problem.message
                    == "built with Swift \(text), this host with Swift 6.3, and the manifest allows "
                    + "6.2, 7.0")
        }
        #expect(
            host.compatibilityProblem(of: tag(abi: 2, compiler: "6.2")) == .abi(built: 2, host: 1))
    }
}
