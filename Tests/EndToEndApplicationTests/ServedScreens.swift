// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Foundation

@testable import EndToEndSupport

/// A command whose screens are shown as pages, by the module `renderer-web`.
final class ServedScreens {
    /// Whether the library is installed that the module is linked to.
    static let isPossible: Bool = {
        guard let library = dlopen("libmicrohttpd.so.12", RTLD_LAZY) else { return false }
        dlclose(library)
        return true
    }()

    /// The folder of the pages, such as `/0123…/`.
    let root: String
    let http: LoopbackHTTP
    private let folder: TemporaryFolder
    private let child: Child
    private let messages: FileHandle

    /// The module and what shows screens with it.
    private static let modules = Result {
        let shipped = try BuiltProject.shipped.get()
        return try BuiltProject(
            "pages", manifest: #"{ "manifest": 1, "directories": ["Plugins"] }"#,
            modules: ["Tests/Fixtures/Pages/ShowsPages"],
            files: ["common", "renderer-web"].map(shipped.file))
    }

    /// The address that a person opens.
    var address: String { "http://127.0.0.1:\(http.port)\(root)" }

    /// Starts a feature that shows a form, a list and a dialogue.
    convenience init() throws {
        try self.init(["launch", "screens"], in: Self.modules.get().withoutSources())
    }

    /// Starts the command, and waits until it has told its address and shows its first screen.
    ///
    /// - Parameter folder: The folder with the manifest, which binds the renderer.
    init(_ arguments: [String], in folder: TemporaryFolder) throws {
        self.folder = folder
        let pipe = try Child.pipe()
        messages = pipe.readEnd
        child = try Child(
            Eaves.executable, arguments, in: folder.url,
            [
                .reading("/dev/null"), .writing(folder.url.appendingPathComponent("out").path),
                .descriptor(pipe.writeEnd.fileDescriptor),
            ])
        try pipe.writeEnd.close()
        let text = try child.read(messages, until: "an address") { $0.contains("/\n") }
        let start = text.range(of: ": Open http://127.0.0.1:")?.upperBound ?? text.endIndex
        let parts = text[start...].split(separator: "/", maxSplits: 1)
        guard parts.count == 2, let port = UInt16(parts[0]) else {
            child.end()
            throw FixtureError("no address: \(text)")
        }
        http = LoopbackHTTP(port: port)
        root = "/" + parts[1].dropLast()
        // The address is told before the first screen is shown. Each request waits for it.
        while try !get().text.contains("name=\"page\" value=\"1\"") {}
    }

    deinit {
        child.end()
    }

    /// Asks for a page.
    func get(_ place: String = "", headers: [String: String] = [:]) throws -> LoopbackHTTP.Response
    {
        try http.send("GET", root + place, headers: headers)
    }

    /// Sends a form.
    func post(_ body: String, headers: [String: String] = [:]) throws -> LoopbackHTTP.Response {
        try http.send("POST", root, headers: headers, body: body)
    }

    /// Sends a form, and follows the browser's way to the next page, which has been prepared by then.
    func submit(_ body: String) throws -> LoopbackHTTP.Response {
        var response = try post(body)
        for _ in 0..<5 {
            guard let location = response.headers["location"], response.status == 303 else { break }
            response = try http.send("GET", location)
        }
        return response
    }

    /// Lets the slow action end.
    func goOn() throws {
        try folder.write("", to: "go")
    }

    /// Waits for the end of the feature.
    func finish() throws -> Eaves.Outcome {
        let (code, signal) = try child.wait()
        let rest = try messages.readToEnd() ?? Data()
        return Eaves.Outcome(
            code: code, signal: signal, output: try folder.read("out"),
            errors: String(decoding: rest, as: UTF8.self))
    }
}
