// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
internal import EavesJSON

/// The share of the calls that a canary gets: above 0 %, and below a half, so that the other module is the stable one.
package struct CanaryShare: Hashable, Sendable {
    let weight: Int
    let total: Int

    /// Takes a share as a number, such as 0.1, which is rounded to a millionth.
    package init(_ fraction: Double) throws(CanaryError) {
        guard fraction > 0, fraction < 0.5 else { throw .notAShare("\(fraction)") }
        var (weight, total) = (Int((fraction * 1_000_000).rounded()), 1_000_000)
        while total > 100, weight.isMultiple(of: 10) { (weight, total) = (weight / 10, total / 10) }
        try self.init(weight, of: total, "\(fraction)")
    }

    private init(_ weight: Int, of total: Int, _ text: String) throws(CanaryError) {
        guard weight > 0, weight < total / 2 else { throw .notAShare(text) }
        self.weight = weight
        self.total = total
    }

    /// The share of all calls, from 0 to 1.
    package var fraction: Double { Double(weight) / Double(total) }

    /// The binding in which a canary has this share, and another module the rest.
    fileprivate func binding(of canary: String, rest stable: String) -> JSON {
        [
            canary: .integer(weight), stable: .integer(total - weight),
            Weights.keyMember: .string(Weights.callKey),
        ]
    }

    /// Reads a share as the command line has it: `10%`, `0.5%`, or `10`.
    package init(_ text: String) throws(CanaryError) {
        let number = text.hasSuffix("%") ? text.dropLast() : text[...]
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        let digits = parts.joined()
        let decimals = parts.count == 2 ? parts[1].count : 0
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }),
            digits.utf8.allSatisfy(Names.isDigit), decimals <= 4,
            let weight = Int(digits)
        else { throw .notAShare(text) }
        try self.init(weight, of: (0..<decimals).reduce(100) { total, _ in total * 10 }, text)
    }
}

/// A step by which a canary gets more of the calls when it has passed its probation with fewer.
package enum CanaryStep: Hashable, Sendable {
    case share(CanaryShare)
    /// All calls: the service is bound to the module.
    case all

    /// - Returns: `nil` if the text is neither a share nor `100%`.
    init?(_ text: String) {
        if text == "100%" {
            self = .all
        } else if let share = try? CanaryShare(text) {
            self = .share(share)
        } else {
            return nil
        }
    }

    var fraction: Double {
        switch self {
        case .share(let share): share.fraction
        case .all: 1
        }
    }
}

// Canaries in the manifest.
extension ManifestEditor {
    /// Assigns a share of a service's calls to a module, so that ``undoLast(_:)`` can undo it. The module that the service is
    /// bound to keeps the rest.
    ///
    /// - Parameters:
    ///   - isExact: Whether a binding of the service's word alone is about another service.
    ///   - sole: The module that provides the service if no binding says which one does.
    /// - Returns: The edit; `nil` if the module had that share already.
    /// - Throws: ``CanaryError`` if no other module can keep the rest.
    package mutating func share(
        _ service: String, exactly isExact: Bool = false, with module: String,
        _ share: CanaryShare, sole: String?
    ) throws -> ManifestEdit? {
        let key = isExact ? service : boundKey(service)
        let stable: String
        switch manifest.binding(BindingKey(text: key))?.target {
        case .module(let bound): stable = bound
        case .weights(let weights):
            let others = weights.eligible.filter { $0 != module }
            guard weights.drawsEachCall, weights.eligible.contains(module), others.count == 1 else {
                throw CanaryError.shared(service, weights.words)
            }
            stable = others[0]
        case nil:
            guard let sole else { throw CanaryError.unbound(service) }
            stable = sole
        }
        guard stable != module else { throw CanaryError.same(service, module) }
        return try give(key, to: module, as: share.binding(of: module, rest: stable))
    }

    /// Assigns the next share of the calls to a canary, so that ``undoLast(_:)`` can undo it.
    ///
    /// - Parameter fraction: The share that it has, from 0 to 1. If it has another one by now, a person or another host was faster.
    /// - Returns: The edit; `nil` if the service is not shared so by now.
    package mutating func raise(
        _ service: String, of module: String, from fraction: Double, to step: CanaryStep,
        because reason: String
    ) throws -> ManifestEdit? {
        let key = boundKey(service)
        guard let weights = manifest.binding(BindingKey(text: key))?.weights, weights.drawsEachCall,
            let weight = weights.weight(of: module)
        else { return nil }
        let others = weights.eligible.filter { $0 != module }
        guard others.count == 1, weights.eligible.count == 2,
            abs(Double(weight) / Double(weights.total) - fraction) < 1e-9
        else { return nil }
        var value: JSON?
        if case .share(let share) = step { value = share.binding(of: module, rest: others[0]) }
        return try give(key, to: module, as: value, because: reason)
    }

    /// Takes a service away from a module that has proved to be bad, so that ``undoLast(_:)`` can undo it.
    ///
    /// - Parameter stable: The module that provided the service before, if it was bound to the bad one alone.
    /// - Returns: The edit; `nil` if the service is not bound to the module by now.
    package mutating func retreat(
        _ service: String, from module: String, to stable: String?, because reason: String
    ) throws(ManifestError) -> ManifestEdit? {
        let key = boundKey(service)
        let next: String
        switch manifest.binding(BindingKey(text: key))?.target {
        case .module(module):
            guard let stable else { return nil }
            next = stable
        case .weights(let weights):
            let others = weights.sorted.filter { $0.module != module && $0.weight > 0 }
            guard weights.eligible.contains(module), let first = others.first else { return nil }
            next = first.module
            if others.count > 1 {
                return try edit(key, to: next, because: reason) { text throws(JSONSyntaxError) in
                    try text.remove([.bindings, key, module])
                }
            }
        default: return nil
        }
        return try give(key, to: next, because: reason)
    }
}

/// The reason why a module cannot become a canary.
package enum CanaryError: Error, Hashable, Sendable, Diagnosable {
    case notAShare(String)
    case same(String, String)
    /// No binding says who keeps the rest of the calls.
    case unbound(String)
    /// Others share the service, in words.
    case shared(String, String)

    package var diagnostic: Diagnostic {
        switch self {
        case .notAShare(let text):
            Diagnostic(
                "expected the canary's share of the calls, above 0% and below 50%, such as 10% or 0.5%, "
                    + "found \(text.quoted)",
                fix: "to give it all calls, leave '--canary' out", code: .usage)
        case .same(let service, let module):
            Diagnostic(
                "\(service) is bound to \(module) already, so no other module can keep the rest of "
                    + "the calls",
                fix: "name another module for the canary", code: .configuration)
        case .unbound(let service):
            Diagnostic(
                "the manifest binds \(service) to no module, so nothing says which one keeps the "
                    + "rest of the calls",
                fix: "bind it first: 'eaves swap \(service) MODULE'", code: .configuration)
        case .shared(let service, let words):
            Diagnostic(
                "\(service) is shared already: \(words)",
                fix:
                    "end that first: 'eaves rollback', or 'eaves swap \(service) MODULE' for the "
                    + "module that is to stay", code: .configuration)
        }
    }
}
