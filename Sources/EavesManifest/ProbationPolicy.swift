// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesJSON

/// The terms on which a host that stays up judges what it has swapped: the manifest's key `probation`.
package struct ProbationPolicy: Hashable, Sendable {
    /// Whether anything is judged.
    package var isOn = true
    /// The longest time of a window, in seconds.
    package var window = 5
    /// A window ends at once after so many calls of what is judged.
    package var calls = 1_000
    /// After so many bad windows, the swap is rolled back.
    package var badWindows = 3
    /// After so many good windows, the probation ends.
    package var goodWindows = 12
    /// A window is bad if the share of calls that fail is greater than before by more than this, in percentage points.
    package var errors = 5.0
    /// A window is bad if calls take longer than before by more than this factor.
    package var latency = 2.0
    /// Whether a further file of a module that is judged has to wait until the probation ends.
    package var isOneAtATime = false

    package init() {}

    /// Sets a limit; `false` if the value is not allowed.
    mutating func set(_ key: ManifestKey.Probation, to node: JSONNode) -> Bool {
        func whole(_ range: ClosedRange<Int>, _ path: WritableKeyPath<Self, Int>) -> Bool {
            guard let number = node.integer, range.contains(number) else { return false }
            self[keyPath: path] = number
            return true
        }
        func real(_ range: ClosedRange<Double>, _ path: WritableKeyPath<Self, Double>) -> Bool {
            let found = node.real
            guard let number = found, range.contains(number) else { return false }
            self[keyPath: path] = number
            return true
        }
        switch key {
        case .window: return whole(1...86_400, \.window)
        case .calls: return whole(1...1_000_000_000, \.calls)
        case .badWindows: return whole(1...1_000, \.badWindows)
        case .goodWindows: return whole(1...100_000, \.goodWindows)
        case .errors: return real(0...100, \.errors)
        case .latency: return real(1...1_000, \.latency)
        case .oneAtATime: return false
        }
    }

    /// The values that a key allows, for messages.
    static func words(_ key: ManifestKey.Probation) -> String {
        switch key {
        case .window: "a whole number of seconds from 1 to 86400"
        case .calls: "a whole number from 1 to 1000000000"
        case .badWindows: "a whole number from 1 to 1000"
        case .goodWindows: "a whole number from 1 to 100000"
        case .errors: "a number of percentage points from 0 to 100"
        case .latency: "a factor from 1 to 1000"
        case .oneAtATime: "true or false"
        }
    }
}
