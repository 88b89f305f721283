// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// The resolver that factories are given: the container, in a place from where it is lent.
///
/// A constant of an object is handed on without counting a reference to it.
final class FactoryResolver: Sendable {
    let resolver: any Resolver

    init(_ container: Container) {
        resolver = container
    }
}
