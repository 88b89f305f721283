// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Measures.
enum QuickRegistrationCheck: DirectCheck {
    static let id = "quick-registration"
    static let meaning = "loading and registering take no longer than a quarter of a second each"
    static let needs = [RegistersCheck.id]
    static let isMeasurement = true

    private static let limit = Duration.milliseconds(250)

    static func run(_ trial: Trial) throws -> Finding {
        _ = try trial.register()
        guard let traces = trial.traces else { return .passed }
        let slow = [("loading", traces.loading), ("registering", traces.registering)]
            .filter { $0.1 > limit }
            .map { "\($0.0) took \($0.1 / .milliseconds(1)) ms".replacingFraction }
        guard !slow.isEmpty else { return .passed }
        return trial.warning(
            "\(slow.joined(separator: ", ")), expected less than 250 ms",
            fix: "move the work into the factories, where only those wait who need it")
    }
}

extension String {
    /// Without the digits behind the point: `412 ms` of `412.0713 ms`.
    fileprivate var replacingFraction: String {
        guard let point = firstIndex(of: "."), let space = self[point...].firstIndex(of: " ") else {
            return self
        }
        return String(self[..<point] + self[space...])
    }
}
