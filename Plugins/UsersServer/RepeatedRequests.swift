// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Knows requests again that a client repeats because it got no answer. Each is done once.
///
/// The answers are kept in memory: after the server was started anew, it knows none.
actor RepeatedRequests {
    /// The number of answers that are kept, the latest ones.
    static let limit = 1000

    private struct Known {
        /// A hash of the request, so that no password is kept.
        let request: Int
        let answer: Task<HTTPResponse, Never>
    }

    private var known: [String: Known] = [:]
    /// The keys in the order of their first requests.
    private var keys: [String] = []

    /// Answers a request, or returns the answer that its key already has.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - key: The key that the client has made for it.
    ///   - answer: A function that performs what is asked for.
    func answer(
        _ request: HTTPRequest, key: String, by answer: @escaping @Sendable () async -> HTTPResponse
    ) async -> HTTPResponse {
        var hasher = Hasher()
        hasher.combine(request.method)
        hasher.combine(request.path)
        hasher.combine(request.body)
        let hash = hasher.finalize()
        if let earlier = known[key] {
            guard earlier.request == hash else {
                return UsersAPI.refusal(
                    422, "keyReused", "Another request had the same 'Idempotency-Key'.")
            }
            return await earlier.answer.value
        }
        let task = Task { await answer() }
        known[key] = Known(request: hash, answer: task)
        keys.append(key)
        if keys.count > Self.limit { known[keys.removeFirst()] = nil }
        let response = await task.value
        // The client may try again later whatever the service could not do now.
        if response.status >= 500 { forget(key) }
        return response
    }

    private func forget(_ key: String) {
        known[key] = nil
        keys.removeAll { $0 == key }
    }
}
