// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesHost
import EavesInterface
import EavesJSON
import Glibc

/// Where a command prints: data to standard output, messages to standard error.
struct Terminal: Sendable {
    /// Standard input and output; features get it too.
    let console = StandardConsole()

    /// Writes data.
    func write(_ text: String) throws(ConsoleError) {
        try console.write(text)
    }

    /// Writes data that is UTF-8, at once.
    func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(ConsoleError) {
        try console.write(bytes)
    }

    /// Writes one JSON object.
    func write(_ json: JSON) throws(ConsoleError) {
        try console.write(json.text(pretty: true) + "\n")
    }

    /// Writes a message of progress.
    func say(_ text: String) {
        console.warn(text)
    }

    /// Writes a diagnostic of something that does not end the command.
    func warn(_ diagnostic: Diagnostic) {
        console.warn(Messages.text(of: diagnostic, label: "warning", isColored: isColored))
    }

    /// Writes out what was kept back, ours and what C functions and `print` kept.
    func finish() throws(ConsoleError) {
        try console.flush()
        guard fflush(nil) == 0 else {
            throw ConsoleError("cannot write standard output: \(String(cString: strerror(errno)))")
        }
    }

    /// Writes what was kept back, and then why the command failed.
    func finishMessages(of error: any Error) {
        do {
            try finish()
        } catch let lost where !(error is ConsoleError) {
            report(lost)
        } catch {
            // The error that is about to be reported says the same.
        }
        report(error)
    }

    private func report(_ error: any Error) {
        for diagnostic in Messages.diagnostics(of: error) {
            console.warn(Messages.text(of: diagnostic, label: "error", isColored: isColored))
        }
    }

    /// Colour only on a terminal, and not with `NO_COLOR` (no-color.org).
    var isColored: Bool {
        isatty(STDERR_FILENO) == 1 && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true)
    }
}
