// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import Foundation
import FoundationNetworking

/// A request to the service. Its text has no password in it.
struct RESTRequest {
    let method: String
    let path: [String]
    let query: [String: String]
    let body: (any Encodable & Sendable)?
    /// Whether the request may be sent again when its answer was lost. One that changes something then has a
    /// key, by which the service knows it again.
    let isRepeatable: Bool

    init(_ method: String, _ path: [String], query: [String: String] = [:]) {
        self.method = method
        self.path = path
        self.query = query
        body = nil
        isRepeatable = method == "GET"
    }

    init(
        _ method: String, _ path: [String], body: any Encodable & Sendable,
        isRepeatable: Bool = false
    ) {
        self.method = method
        self.path = path
        self.body = body
        self.isRepeatable = isRepeatable
        query = [:]
    }

    func urlRequest(to address: ServiceAddress) throws -> URLRequest {
        // Everything but plain letters and digits is encoded: servers disagree about the others.
        let plain = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        func encoded(_ text: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
        }
        var text = address.base.absoluteString + path.map(encoded).joined(separator: "/")
        let pairs = query.map { "\(encoded($0.key))=\(encoded($0.value))" }
        if !pairs.isEmpty { text += "?" + pairs.joined(separator: "&") }
        guard let url = URL(string: text) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if let body {
            request.httpBody = try JSONEncoder().encode(body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            if isRepeatable {
                request.setValue(UUID().uuidString, forHTTPHeaderField: "Idempotency-Key")
            }
        }
        return request
    }
}

/// An answer of the service.
struct RESTAnswer {
    let status: Int
    let body: Data
    /// The address that answered, for messages.
    let place: String

    func decoded<Document: Decodable>(_ type: Document.Type) throws -> Document {
        do {
            return try JSONDecoder().decode(type, from: body)
        } catch {
            throw UserServiceError.unavailable(
                "\(place) answered with a text that is not of this protocol. "
                    + "Correct the setting 'url' of users-rest.")
        }
    }
}

/// Sends requests to one service, and sends them again where that is safe.
///
/// On Linux, Foundation's session keeps a processor busy while an answer is on its way: it goes on to watch whether the
/// socket takes more, which it always does. A request that waited 5 s took 4.2 s of processor time (Swift 6.3.1).
final class RESTClient: Sendable {
    /// The pauses before the second attempt and the third one. There is no fourth.
    private static let pauses: [Duration] = [.milliseconds(100), .milliseconds(400)]
    /// The answers of a service that is too busy, or of a gateway whose service does not answer.
    private static let passing: Set<Int> = [429, 502, 503, 504]

    private let address: ServiceAddress
    private let timeout: Duration
    private let session: URLSession

    /// - Parameter timeout: The time for a request with all its attempts.
    init(_ address: ServiceAddress, timeout: Duration) {
        self.address = address
        self.timeout = timeout
        // Passwords and users are kept nowhere: no cookies, no cache.
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        session = URLSession(
            configuration: configuration, delegate: StaysAtAddress(), delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request.
    ///
    /// - Throws: ``UserServiceError/unavailable(_:)`` if no attempt got an answer in time, or
    ///   `CancellationError`.
    func send(_ request: RESTRequest) async throws -> RESTAnswer {
        // All attempts have the same key.
        let prepared = try request.urlRequest(to: address)
        let deadline = ContinuousClock.now + timeout
        var pauses = request.isRepeatable ? Self.pauses[...] : []
        while true {
            let attempt = await attempt(prepared, until: deadline)
            try Task.checkCancellation()
            switch attempt {
            case .success(let answer) where !Self.passing.contains(answer.status):
                return answer
            default: break
            }
            guard let pause = pauses.popFirst(), ContinuousClock.now + pause < deadline else {
                return try attempt.mapError { self.unavailable($0) }.get()
            }
            // Clients that lost the service at the same time do not all come back at the same time.
            try await Task.sleep(for: pause * Double.random(in: 0.5...1))
        }
    }

    private func attempt(
        _ request: URLRequest, until deadline: ContinuousClock.Instant
    ) async -> Result<RESTAnswer, any Error> {
        let rest = (deadline - .now).components
        var request = request
        request.timeoutInterval = max(0.001, Double(rest.seconds) + Double(rest.attoseconds) / 1e18)
        do {
            let (body, response) = try await session.data(for: request)
            guard let response = response as? HTTPURLResponse else {
                throw URLError(.badServerResponse)
            }
            return .success(
                RESTAnswer(
                    status: response.statusCode, body: body, place: address.base.absoluteString))
        } catch {
            return .failure(error)
        }
    }

    private func unavailable(_ error: any Error) -> UserServiceError {
        let place = address.base.absoluteString
        switch (error as? URLError)?.code {
        case .cannotConnectToHost: return .unavailable("nothing answers at \(place).")
        case .cannotFindHost, .dnsLookupFailed:
            return .unavailable("the name of the machine in \(place) is not known.")
        case .timedOut:
            return .unavailable("\(place) did not answer within \(timeout).")
        case .networkConnectionLost, .badServerResponse:
            return .unavailable("\(place) ended the connection without an answer.")
        default: return .unavailable("\(place): \(error.localizedDescription)")
        }
    }
}

/// Follows no redirection: another machine does not get the passwords.
private final class StaysAtAddress: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
