// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation

@testable import EndToEndSupport

/// A headless Chromium, driven through chromedriver as WebDriver describes it.
final class Browser {
    /// Whether both programs are installed.
    static var isPossible: Bool { program("chromium") != nil && program("chromedriver") != nil }

    private let child: Child
    private let http: LoopbackHTTP
    private var session = ""

    /// Starts a browser.
    ///
    /// - Parameters:
    ///   - width: The width of the page, in CSS pixels.
    ///   - height: The height of the page, in CSS pixels.
    init(width: Int, height: Int) throws {
        guard let driver = Self.program("chromedriver"), let chromium = Self.program("chromium")
        else { throw FixtureError("there is no chromium") }
        let started = try Self.start(driver)
        child = started.child
        http = LoopbackHTTP(port: started.port)
        let options: [String: Any] = [
            "binary": chromium,
            "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--hide-scrollbars",
            ],
            "mobileEmulation": [
                "deviceMetrics": [
                    "width": width, "height": height, "pixelRatio": 1, "mobile": false,
                ]
            ],
        ]
        let answer = try call(
            "POST", "/session",
            [
                "capabilities": [
                    "alwaysMatch": ["browserName": "chrome", "goog:chromeOptions": options]
                ]
            ])
        session = (answer as? [String: Any])?["sessionId"] as? String ?? ""
    }

    /// Starts chromedriver on a free port.
    ///
    /// It lets the system choose a port for one family of addresses, and then asks for the same port of the other. Where
    /// somebody else has that, it ends, and is started again.
    private static func start(_ driver: String) throws -> (child: Child, port: UInt16) {
        let start = "started successfully on port "
        let taken = "port not available. Exiting...\n"
        while true {
            let pipe = try Child.pipe()
            let child = try Child(
                URL(fileURLWithPath: driver), ["--port=0"],
                in: FileManager.default.temporaryDirectory,
                [
                    .reading("/dev/null"), .descriptor(pipe.writeEnd.fileDescriptor),
                    .writing("/dev/null"),
                ])
            try pipe.writeEnd.close()
            let text = try child.read(pipe.readEnd, until: "a port") {
                ($0.contains(start) && $0.hasSuffix(".\n")) || $0.contains(taken)
            }
            if let place = text.range(of: start) {
                return (child, UInt16(text[place.upperBound...].prefix(while: \.isNumber)) ?? 0)
            }
            child.end()
        }
    }

    deinit {
        // The browser ends with its session, and the driver with its group.
        _ = try? call("DELETE", "")
        child.end()
    }

    private static func program(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(
            separator: ":")
        return folders.map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
    }

    /// Opens an address, and waits until it is loaded.
    func open(_ address: String) throws {
        try call("POST", "/url", ["url": address])
    }

    /// The title of the page.
    var title: String { get throws { try call("GET", "/title") as? String ?? "" } }

    /// The value of an expression of JavaScript, which the driver may run where a page may not.
    func value(_ expression: String) throws -> Any {
        try call("POST", "/execute/sync", ["script": "return \(expression)", "args": [Any]()])
    }

    /// Presses keys, in the element that has the focus.
    func press(_ keys: String) throws {
        let actions = keys.flatMap { key in
            ["keyDown", "keyUp"].map { ["type": $0, "value": String(key)] }
        }
        try call(
            "POST", "/actions", ["actions": [["type": "key", "id": "keys", "actions": actions]]])
    }

    /// The element that a CSS selector finds first.
    func element(_ selector: String) throws -> Element {
        Element(
            browser: self,
            answer: try call("POST", "/element", ["using": "css selector", "value": selector]))
    }

    /// The element that has the focus.
    var focused: Element {
        get throws { Element(browser: self, answer: try call("GET", "/element/active")) }
    }

    /// Lets pages believe that the person wishes dark colours.
    func darken() throws {
        try call(
            "POST", "/goog/cdp/execute",
            [
                "cmd": "Emulation.setEmulatedMedia",
                "params": ["features": [["name": "prefers-color-scheme", "value": "dark"]]],
            ])
    }

    /// The page as a picture in PNG. It is also written to the folder that `EAVES_SCREENSHOTS` names.
    @discardableResult
    func picture(_ name: String) throws -> Data {
        let text = try call("GET", "/screenshot") as? String ?? ""
        let picture = Data(base64Encoded: text) ?? Data()
        if let folder = ProcessInfo.processInfo.environment["EAVES_SCREENSHOTS"] {
            try picture.write(
                to: URL(fileURLWithPath: folder).appendingPathComponent(name + ".png"))
        }
        return picture
    }

    /// An element of the current page.
    struct Element {
        fileprivate let browser: Browser
        fileprivate let answer: Any

        private func call(_ method: String, _ path: String, _ body: [String: Any]? = nil) throws
            -> Any
        {
            let identifier = (answer as? [String: String])?.values.first ?? ""
            return try browser.call(method, "/element/\(identifier)\(path)", body)
        }

        /// The name that a screen reader says.
        var label: String {
            get throws {
                let label = try call("GET", "/computedlabel") as? String ?? ""
                return label.trimmingCharacters(in: .whitespaces)
            }
        }
        /// The role that a screen reader says.
        var role: String { get throws { try call("GET", "/computedrole") as? String ?? "" } }
        var text: String { get throws { try call("GET", "/text") as? String ?? "" } }

        func click() throws { _ = try call("POST", "/click", [:]) }

        /// Replaces what is filled in.
        func fill(_ text: String) throws {
            _ = try call("POST", "/clear", [:])
            _ = try call("POST", "/value", ["text": text])
        }
    }

    /// Calls the driver; the member `value` of its answer.
    @discardableResult
    private func call(_ method: String, _ path: String, _ body: [String: Any]? = nil) throws -> Any
    {
        let place = path == "/session" ? path : "/session/\(session)\(path)"
        let text = try body.map {
            String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self)
        }
        let response = try http.send(
            method, place, headers: body == nil ? [:] : ["Content-Type": "application/json"],
            body: text)
        let answer = try JSONSerialization.jsonObject(with: response.body) as? [String: Any]
        guard response.status == 200, let value = answer?["value"] else {
            throw FixtureError("\(method) \(path): \(response)")
        }
        return value
    }
}
