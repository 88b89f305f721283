// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesJSON

/// The terms on which a host that stays up judges what it has swapped: the manifest's key `probation`.
package struct ProbationPolicy: Hashable, Sendable {
    package var isOn = true
    /// The shortest time of a probation, in seconds.
    package var seconds = 60
    /// The fewest calls of a probation.
    package var calls = 200
    /// The share of failing calls, or of late ones, that is too bad: greater than before by this, in percentage points.
    package var errors = 2.0
    /// A call is late if it takes longer than one before by more than this factor.
    package var latency = 2.0
    /// The shares of a canary, from small to great: with each one that it has passed its probation with, it gets the next.
    /// Without any, it keeps its share.
    package var steps: [CanaryStep] = []
    /// Whether a further file of a module that is judged has to wait until the probation ends.
    package var isOneAtATime = false

    package init() {}

    /// The next step of a canary that has a share of the calls, from 0 to 1; `nil` if it keeps that share.
    package func step(after fraction: Double) -> CanaryStep? {
        steps.first { $0.fraction > fraction + 1e-9 }
    }

    /// Sets a limit; `false` if the value is not allowed.
    mutating func set(_ key: ManifestKey.Probation, to node: JSONNode) -> Bool {
        func whole(_ range: ClosedRange<Int>, _ path: WritableKeyPath<Self, Int>) -> Bool {
            guard let number = node.integer, range.contains(number) else { return false }
            self[keyPath: path] = number
            return true
        }
        func real(_ range: ClosedRange<Double>, _ path: WritableKeyPath<Self, Double>) -> Bool {
            guard let number = node.real, range.contains(number) else { return false }
            self[keyPath: path] = number
            return true
        }
        switch key {
        case .seconds: return whole(0...86_400, \.seconds)
        case .calls: return whole(0...1_000_000_000, \.calls)
        case .errors: return real(0.1...100, \.errors)
        case .latency: return real(1...1_000, \.latency)
        case .steps:
            guard let elements = node.elements else { return false }
            let steps = elements.compactMap { $0.string.flatMap(CanaryStep.init) }
            let isRising = zip(steps, steps.dropFirst()).allSatisfy { $0.fraction < $1.fraction }
            guard steps.count == elements.count, isRising else { return false }
            self.steps = steps
            return true
        case .oneAtATime: return false
        }
    }

    /// The values that a key allows, for messages.
    static func words(_ key: ManifestKey.Probation) -> String {
        switch key {
        case .seconds: "a whole number from 0 to 86400"
        case .calls: "a whole number from 0 to 1000000000"
        case .errors: "a number of percentage points from 0.1 to 100"
        case .latency: "a factor from 1 to 1000"
        case .steps:
            "a list of rising shares below 50%, and 100% as the last if wanted, such as [\"5%\", \"25%\", \"100%\"]"
        case .oneAtATime: "true or false"
        }
    }
}
