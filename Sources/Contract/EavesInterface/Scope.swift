// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The time for which the container keeps an instance that a factory created.
public struct Scope: Hashable, Sendable {
    /// The scope's name, for messages.
    public let name: String
    /// Whether the name was chosen freely: then it is another scope than the one below of that name.
    private var isChosen = false

    init(name: String) {
        self.name = name
    }

    /// A new instance for every request.
    public static var transient: Scope { Scope(name: "transient") }

    /// One instance, created at the first request, and kept as long as its registration.
    ///
    /// The factory runs once, however many threads ask at the same time. If the factory throws, the
    /// next request runs it again. If the service is an optional and the factory returns `nil`, that
    /// `nil` is the instance: it is kept, and the factory does not run again.
    public static var shared: Scope { Scope(name: "shared") }

    /// One instance within a resolution, which all requests of that resolution share.
    ///
    /// The container does not keep the instance after the resolution. A resolution is the work that
    /// a thread does between asking for a service and getting it.
    public static var graph: Scope { Scope(name: "graph") }

    /// A new instance if the last one is no longer in use.
    ///
    /// This scope is useful for objects. A value that is not an object is created for every request, and
    /// so is the `nil` of an optional service.
    public static var weak: Scope { Scope(name: "weak") }

    /// A scope with a name of your own: like ``shared``, until the host resets it, such as at the end of a session.
    ///
    /// - Parameter name: Two scopes with the same name are the same scope. A scope that is named like
    ///   one of the others, such as `"graph"`, is another one all the same.
    public static func named(_ name: String) -> Scope {
        var scope = Scope(name: name)
        scope.isChosen = true
        return scope
    }
}
