// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc

/// A language server of the toolchain, asked as an editor asks it.
final class LanguageServer {
    private let language: Language
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    /// The bytes that have come, and are no whole message yet.
    private var received = Data()
    private var lastRequest = 0
    private var opened: Set<String> = []
    /// The file in which the server logs its own work.
    private let log: URL
    /// The messages that the server has told by itself, by the files' addresses.
    private var published: [String: [[String: Any]]] = [:]

    enum Language: String, CaseIterable {
        case swift = "sourcekit-lsp"
        case c = "clangd"

        /// The server's program, next to the compiler that this process finds.
        var executable: URL? {
            let folders = ProcessInfo.processInfo.environment["PATH"] ?? ""
            return folders.split(separator: ":").map { "\($0)/\(rawValue)" }
                .first { FileManager.default.isExecutableFile(atPath: $0) }
                .map { URL(fileURLWithPath: $0) }
        }
    }

    /// The server has not answered for as long as it may take.
    struct Silence: Error, CustomStringConvertible {
        let language: Language
        /// The end of its log.
        let log: String

        var description: String {
            "\(language.rawValue) does not answer; its log ends with\n\(log)"
        }
    }

    /// How long a server may take for an answer. Less than the time after which `.ci/test` ends the tests without their
    /// messages.
    static let limit = Duration.seconds(240)

    static var isInstalled: Bool { Language.allCases.allSatisfy { $0.executable != nil } }

    /// Starts the server for a folder, as an editor does that opens it.
    init(for language: Language = .swift, in folder: URL) throws {
        self.language = language
        process.executableURL = language.executable
        process.currentDirectoryURL = folder
        process.standardInput = input
        process.standardOutput = output
        log = folder.appendingPathComponent("\(language.rawValue).log")
        try Data().write(to: log)
        process.standardError = try FileHandle(forWritingTo: log)
        try process.run()
        _ = try request(
            "initialize",
            [
                "processId": Int(getpid()), "rootUri": folder.absoluteString,
                "capabilities": [String: Any](),
                "workspaceFolders": [["uri": folder.absoluteString, "name": "project"]],
            ])
        try send(["method": "initialized", "params": [String: Any]()])
    }

    deinit {
        // It ends the compilers that it has started, which write into the folder.
        lastRequest += 1
        try? send(["id": lastRequest, "method": "shutdown"])
        try? send(["method": "exit"])
        let end = ContinuousClock.now + .seconds(10)
        while process.isRunning, .now < end { Patience.letPass(.milliseconds(10)) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    // MARK: Asking

    /// Shows the server the text of a file.
    func open(_ file: URL) throws {
        guard opened.insert(file.path).inserted else { return }
        let text = try String(contentsOf: file, encoding: .utf8)
        let language = ["c": "c", "h": "c"][file.pathExtension] ?? "swift"
        try send([
            "method": "textDocument/didOpen",
            "params": [
                "textDocument": [
                    "uri": file.absoluteString, "languageId": language, "version": 1, "text": text,
                ]
            ],
        ])
    }

    /// The words that could stand behind a text in a file.
    func completions(behind text: String, in file: URL) throws -> [String] {
        let result = try ask("textDocument/completion", file, try position(behind: text, in: file))
        let items = (result as? [String: Any])?["items"] as? [[String: Any]] ?? []
        return items.compactMap { ($0["filterText"] ?? $0["label"]) as? String }
    }

    /// The files that declare what stands before the end of a text.
    func definitions(of text: String, in file: URL) throws -> [String] {
        let result = try ask("textDocument/definition", file, try position(behind: text, in: file))
        return (result as? [[String: Any]] ?? []).compactMap { $0["uri"] as? String }
    }

    /// The messages about a Swift file, with the numbers of their lines, from 1 on.
    func messages(about file: URL) throws -> [(line: Int, text: String)] {
        let result = try ask("textDocument/diagnostic", file, nil)
        return Self.messages((result as? [String: Any])?["items"] as? [[String: Any]] ?? [])
    }

    /// The same for a file in C, whose server tells them by itself.
    func messages(aboutSourceInC file: URL) throws -> [(line: Int, text: String)] {
        try open(file)
        while published[file.absoluteString] == nil { take(try receive()) }
        return Self.messages(published[file.absoluteString] ?? [])
    }

    private static func messages(_ items: [[String: Any]]) -> [(line: Int, text: String)] {
        items.compactMap { item in
            guard let range = item["range"] as? [String: [String: Int]],
                let line = range["start"]?["line"], let text = item["message"] as? String
            else { return nil }
            return (line + 1, text)
        }
    }

    private func ask(
        _ method: String, _ file: URL, _ position: [String: Int]?
    ) throws -> Any? {
        try open(file)
        var params: [String: Any] = ["textDocument": ["uri": file.absoluteString]]
        params["position"] = position
        return try request(method, params)
    }

    private func position(behind text: String, in file: URL) throws -> [String: Int] {
        let content = try String(contentsOf: file, encoding: .utf8)
        guard let place = content.range(of: text) else {
            throw FixtureError("no '\(text)' in \(file.path)")
        }
        let lines = content[..<place.upperBound].split(
            separator: "\n", omittingEmptySubsequences: false)
        return ["line": lines.count - 1, "character": lines.last?.utf16.count ?? 0]
    }

    /// The error of a server that does not answer.
    var silence: Silence {
        let lines = (try? String(contentsOf: log, encoding: .utf8))?.split(separator: "\n") ?? []
        return Silence(language: language, log: lines.suffix(30).joined(separator: "\n"))
    }

    // MARK: Messages

    private func request(_ method: String, _ params: [String: Any]) throws -> Any? {
        lastRequest += 1
        let number = lastRequest
        try send(["id": number, "method": method, "params": params])
        while true {
            let message = try receive()
            take(message)
            guard let id = message["id"] else { continue }
            if message["method"] != nil {
                // The server asks something itself, which an editor may answer with nothing.
                try send(["id": id, "result": NSNull()])
            } else if id as? Int == number {
                return message["result"]
            }
        }
    }

    private func take(_ message: [String: Any]) {
        guard message["method"] as? String == "textDocument/publishDiagnostics",
            let params = message["params"] as? [String: Any], let uri = params["uri"] as? String
        else { return }
        published[uri] = params["diagnostics"] as? [[String: Any]]
    }

    private func send(_ message: [String: Any]) throws {
        var message = message
        message["jsonrpc"] = "2.0"
        let content = try JSONSerialization.data(withJSONObject: message)
        let head = Data("Content-Length: \(content.count)\r\n\r\n".utf8)
        try input.fileHandleForWriting.write(contentsOf: head + content)
    }

    private func receive() throws -> [String: Any] {
        let mark = Data("\r\n\r\n".utf8)
        while true {
            if let end = received.range(of: mark) {
                let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
                let count = head.split(separator: "\r\n").compactMap { line in
                    line.hasPrefix("Content-Length: ") ? Int(line.dropFirst(16)) : nil
                }.first
                guard let count else { throw FixtureError("no length in '\(head)'") }
                if received.distance(from: end.upperBound, to: received.endIndex) >= count {
                    let content = received[end.upperBound...].prefix(count)
                    received = Data(received[content.endIndex...])
                    let message = try JSONSerialization.jsonObject(with: Data(content))
                    return message as? [String: Any] ?? [:]
                }
            }
            received += try more()
        }
    }

    private func more() throws -> Data {
        let descriptor = output.fileHandleForReading.fileDescriptor
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&watched, 1, Int32(Self.limit / .milliseconds(1))) > 0 else { throw silence }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { throw FixtureError("the language server has ended") }
        return Data(bytes.prefix(count))
    }
}
