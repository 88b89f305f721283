// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Decides which requests are for us at all, before their bodies are read.
///
/// The address of the pages has a secret, which only the person's console shows. Each request needs it. The
/// checks of names keep away pages of other servers, which a browser on this machine may show at the same
/// time.
struct WebGate: Sendable {
    /// A larger form is refused. In bytes.
    static let bodyLimit = 256 << 10

    /// The first part of every path.
    let secret: String

    init(secret: String = WebSecret.random()) {
        self.secret = secret
    }

    /// The path of the pages.
    var root: String { "/\(secret)/" }

    /// The rest of a path after the secret; `nil` if the path does not begin with it.
    func place(in path: String) -> Substring? {
        let parts = path.dropFirst().split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard path.hasPrefix("/"), parts.count == 2, WebSecret.areEqual(parts[0], secret) else {
            return nil
        }
        return parts[1]
    }

    /// The response to a request that is refused; `nil` for one to answer.
    func refusal(of request: WebRequest) -> WebResponse? {
        // All these look the same, so that a guesser does not learn how near a guess was.
        guard let host = request.host, Self.isThisMachine(host), place(in: request.path) != nil
        else { return .plain(404, "Not found") }
        switch request.method {
        case "GET", "HEAD": return nil
        case "POST": return refusal(ofForm: request, host: host)
        default:
            return .plain(
                405, "Use GET or POST", [WebResponse.Header("Allow", "GET, HEAD, POST")])
        }
    }

    private func refusal(ofForm request: WebRequest, host: String) -> WebResponse? {
        guard isOfOurPages(request, host: host) else {
            return PageDocument.refused("The form was not sent from a page of this application.")
                .response(status: 403, closes: true)
        }
        let type = request.contentType?.split(separator: ";").first?.lowercased()
        guard type == "application/x-www-form-urlencoded" else {
            return .plain(415, "Send application/x-www-form-urlencoded")
        }
        // A body in pieces can be longer than it says.
        guard request.transferEncoding == nil,
            let length = request.contentLength.flatMap({ UInt($0) })
        else {
            return .plain(411, "Send the length of the form")
        }
        guard length <= Self.bodyLimit else {
            return PageDocument.refused("The form is too large: expected at most 256 KiB.")
                .response(status: 413, closes: true)
        }
        return nil
    }

    /// Whether a form comes from a page of ours, as far as the browser tells. Programs without a browser need
    /// to tell nothing: they have the secret.
    private func isOfOurPages(_ request: WebRequest, host: String) -> Bool {
        let ours = "http://\(host)"
        let isOrigin = request.origin.map { $0.lowercased() == ours.lowercased() } ?? true
        let isReferer =
            request.referer.map { $0.lowercased().hasPrefix(ours.lowercased() + "/") } ?? true
        return isOrigin && isReferer && request.site.map { $0 == "same-origin" } ?? true
    }

    /// Whether a browser that was asked for this host asks this machine. Another name may lead here, too,
    /// if its owner wishes so: its pages then count as those of our server. The port may be another one,
    /// since people forward ports.
    private static func isThisMachine(_ host: String) -> Bool {
        let parts = host.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = parts.first, parts.count <= 2, parts.count == 1 || UInt16(parts[1]) != nil
        else { return false }
        return name == "127.0.0.1" || name.lowercased() == "localhost"
    }
}
