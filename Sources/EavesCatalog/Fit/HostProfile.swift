// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesELF
internal import EavesManifest

/// What a module must be built for to run in this host.
package struct HostProfile: Hashable, Sendable {
    package var abi: Int
    package var interface: InterfaceVersion
    /// The series, such as `6.3`; what follows the second number is not compared.
    package var compiler: String
    package var machine: ELFMachine
    /// The series of other compilers whose modules are taken as well.
    package var otherCompilers: [String] = []

    package init(
        abi: Int, interface: InterfaceVersion, compiler: String, machine: ELFMachine = .current
    ) {
        self.abi = abi
        self.interface = interface
        self.compiler = compiler
        self.machine = machine
    }

    /// The first reason not to run a module that was built like this; `nil` if it fits.
    package func compatibilityProblem(of tag: BuildTag) -> CompatibilityProblem? {
        guard tag.abi == abi else { return .abi(built: tag.abi, host: abi) }
        if let built = tag.interface, built.major != interface.major || built > interface {
            return .interface(built: built, host: interface)
        }
        if let built = tag.compiler, !takes(built) {
            return .compiler(built: built, host: compiler, others: otherCompilers)
        }
        return nil
    }

    private func takes(_ built: String) -> Bool {
        let series = Self.series(of: built)
        return series == Self.series(of: compiler)
            || otherCompilers.contains { Self.series(of: $0) == series }
    }

    /// The same host, for modules that a manifest describes.
    package func allowing(compilers: [String]) -> HostProfile {
        var profile = self
        profile.otherCompilers = compilers
        return profile
    }

    /// What a manifest calls the series of a compiler; `nil` for one that has no such name.
    static func seriesName(of compiler: String) -> String? {
        let name = series(of: compiler).joined(separator: ".")
        return Names.isCompilerSeries(name) ? name : nil
    }

    /// `6.3` of `6.3.1` and of `6.3-dev`.
    private static func series(of compiler: String) -> [Substring] {
        compiler.split(separator: ".").prefix(2).map { $0.prefix(while: \.isNumber) }
    }
}
