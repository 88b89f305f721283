// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What `eaves build` adds to a module's declaration: with what, and for what, it was built.
package struct BuildTag: Hashable, Sendable {
    /// The version of the C ABI.
    package var abi: Int
    /// `nil` for a module that uses the C ABI alone.
    package var interface: InterfaceVersion?
    /// The Swift compiler, such as `6.3.1`; `nil` for a module in another language.
    package var compiler: String?
    /// The target triple.
    package var target: String?
    /// A digest of everything that it was built from, in hexadecimal digits.
    package var inputs: String?

    package init(
        abi: Int, interface: InterfaceVersion? = nil, compiler: String? = nil,
        target: String? = nil, inputs: String? = nil
    ) {
        self.abi = abi
        self.interface = interface
        self.compiler = compiler
        self.target = target
        self.inputs = inputs
    }
}
