// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A whole page: what the person reads, with its style, as one response.
struct PageDocument {
    /// The name in the browser's tab.
    var title: String
    var body: HTML
    /// The colours that rules of the style are made for.
    var colors: [PageColor] = []
    /// The address to go to by itself after a second; `nil` for a page that stays.
    var next: HTML?

    /// The document.
    ///
    /// - Parameter nonce: The random text that lets the browser use the style of this response, and no
    ///   other one.
    func html(nonce: String) -> HTML {
        let refresh: HTML =
            next.map { "<meta http-equiv=\"refresh\" content=\"1;url=\($0)\">\n" } ?? ""
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            \(refresh)<title>\(title)</title>
            <style nonce="\(nonce)">
            \(PageStyle.rules(for: colors))
            </style>
            </head>
            <body>
            \(body)
            </body>
            </html>

            """
    }

    /// The document as a response, with the headers that keep other pages and caches away from it.
    func response(status: Int = 200, closes: Bool = false) -> WebResponse {
        let nonce = WebSecret.random()
        let policy =
            "default-src 'none'; style-src 'nonce-\(nonce)'; form-action 'self'; "
            + "base-uri 'none'; frame-ancestors 'none'"
        return WebResponse(
            status: status,
            headers: [
                WebResponse.Header("Content-Type", "text/html; charset=utf-8"),
                WebResponse.Header("Content-Security-Policy", policy),
            ] + (closes ? [WebResponse.Header("Connection", "close")] : []),
            body: html(nonce: nonce).text)
    }
}

extension PageDocument {
    /// The page while the application works, which asks again by itself.
    static let working = PageDocument(
        title: "One moment",
        body: """
            <main>
            <h1 id="title">One moment</h1>
            <p role="status" class="working">The application is still working. This page goes on by itself.</p>
            <p><a href="wait-0">Look again now</a></p>
            </main>
            """,
        next: "wait-0")

    /// The last page.
    static let ended = PageDocument(
        title: "The end",
        body: """
            <main>
            <h1 id="title" tabindex="-1" autofocus>The end</h1>
            <p role="status">The application has ended. You can close this window.</p>
            </main>
            """)

    /// The answer to a form that is not used.
    static func refused(_ reason: String) -> PageDocument {
        PageDocument(
            title: "Not done",
            body: """
                <main>
                <h1 id="title" tabindex="-1" autofocus>Not done</h1>
                <p role="alert" class="problem">\(reason)</p>
                <p><a href="./">Go to the current page</a></p>
                </main>
                """)
    }
}
