// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What was found of a service that was asked for.
enum FoundService<Service: Sendable>: Sendable {
    /// It was there, or need not be awaited.
    case made(Service)
    /// A registration that has to be awaited, and where it is.
    case awaited(Registration, Container)
    /// Somebody else is making it.
    case underWay(Registration, Construction)
}
