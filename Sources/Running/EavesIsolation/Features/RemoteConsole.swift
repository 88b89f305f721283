// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
@_spi(Generated) import EavesInterface

/// The console of a launch, as the feature has it in the worker.
///
/// A text is with the host when `write` returns. If the host's console is its standard output, which the worker has as well,
/// the text goes there by the stream of `print`, line by line. So the order is kept, a slow reader slows the feature
/// down, and nothing is lost with the process.
///
/// Safe from any thread.
final class RemoteConsole: Console {
    let isInteractive: Bool
    private let number: UInt64
    private let host: CallPeer
    /// The standard output; `nil` if the host's console is another one.
    private let output: StandardConsole?

    /// The size of one message. In characters of Unicode.
    private static let pieceSize = 1 << 20

    init(_ request: LaunchRequest, of host: CallPeer) {
        number = request.console
        isInteractive = request.isInteractive
        output = request.printsToOutput ? .standard : nil
        self.host = host
    }

    func write(_ text: String) throws(ConsoleError) {
        if let output { return try output.write(text) }
        var rest = text.unicodeScalars[...]
        repeat {
            _ = try call(.write, String(rest.prefix(Self.pieceSize)))
            rest = rest.dropFirst(Self.pieceSize)
        } while !rest.isEmpty
    }

    func readLine() throws(ConsoleError) -> String? {
        try end()
        do {
            return try call(.readLine).read(String?.self)
        } catch {
            throw Self.consoleError(error)
        }
    }

    func warn(_ text: String) {
        // If messages cannot be written, there is nowhere left to say so.
        try? end()
        _ = try? call(.warn, text)
    }

    func flush() throws(ConsoleError) {
        if let output { try output.flush() } else { _ = try call(.flush) }
    }

    /// Writes what the stream keeps back.
    func end() throws(ConsoleError) { try output?.flush() }

    private func call(
        _ function: HostFunction, _ text: String? = nil
    ) throws(ConsoleError) -> WireReader {
        do {
            let arguments = WireWriter()
            try arguments.write(number)
            if let text { try arguments.write(text) }
            return try host.callAndWait(function.rawValue, arguments)
        } catch {
            throw Self.consoleError(error)
        }
    }

    private static func consoleError(_ error: any Error) -> ConsoleError {
        error as? ConsoleError ?? ConsoleError("\(error)")
    }
}
