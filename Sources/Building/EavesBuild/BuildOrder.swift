// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesSystem

/// The requests of one build and the interface modules that have to be built for them, with the order
/// that follows.
struct BuildOrder {
    /// The requests of the caller, and after them those for interface modules that they name.
    private(set) var requests: [BuildRequest]
    /// How many of the requests are the caller's.
    let givenCount: Int
    /// For each request the indices of those that are to be done before it.
    private(set) var needs: [[Int]] = []

    init(_ requests: [BuildRequest], _ builder: Builder) {
        self.requests = requests
        givenCount = requests.count
        // The list grows while it is gone through.
        var index = 0
        while index < self.requests.count {
            needs.append(addNeeds(of: self.requests[index], builder))
            index += 1
        }
    }

    private mutating func addNeeds(of request: BuildRequest, _ builder: Builder) -> [Int] {
        // A mistake in the file is reported when the request's turn comes.
        let file = Path.join(request.folder, ModuleDeclaration.fileName)
        let needs = (try? ModuleDeclaration.load(file))?.interfaces ?? []
        return needs.compactMap { need in
            if let known = requests.firstIndex(where: { $0.id == need.id }) { return known }
            guard !builder.lookup.linked.contains(where: { $0.id == need.id }),
                let found = builder.lookup.place(of: need.id, for: request)?.request,
                (try? found.source().declaration.layer) == .interface
            else { return nil }
            // A file that was dropped in is used as it is.
            if case .foreign = builder.freshness(of: found) { return nil }
            requests.append(found)
            return requests.count - 1
        }
    }

    /// The ids of a circle that a request belongs to, or leads to. The first is also the last.
    func circle(from index: Int, among waiting: Set<Int>) -> [String] {
        var way = [index]
        while let next = needs[way[way.count - 1]].first(where: waiting.contains) {
            if let start = way.firstIndex(of: next) {
                return (way[start...] + [next]).map { requests[$0].id }
            }
            way.append(next)
        }
        return way.map { requests[$0].id }
    }
}
