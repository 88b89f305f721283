// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesHost
package import EavesInterface

package enum Messages {
    enum Label: String {
        case error, warning

        fileprivate var color: String {
            switch self {
            case .error: "31"
            case .warning: "33"
            }
        }
    }

    /// The error of input or output that a command ends with, also one that came through a factory;
    /// `nil` if it ends with another error.
    package static func consoleError(in error: any Error) -> ConsoleError? {
        if let error = error as? ConsoleError { return error }
        if let cause = (error as? HostError)?.cause { return consoleError(in: cause) }
        guard case .factoryFailed(let reason) = (error as? ResolutionError)?.reason else {
            return nil
        }
        return reason as? ConsoleError
    }

    /// The exit code of a command that ends with an error: that of the first problem.
    package static func exitCode(of error: any Error) -> Int32 {
        (HostError.diagnostics(of: error).first?.code ?? .crashed).rawValue
    }

    /// A message as it is printed: what failed, and on a second line the fix, if there is one.
    static func text(of diagnostic: Diagnostic, label: Label, isColored: Bool) -> String {
        func head(_ word: String, _ color: String) -> String {
            isColored ? "\u{1b}[1;\(color)m\(word):\u{1b}[0m " : "\(word): "
        }
        let message = head(label.rawValue, label.color) + diagnostic.message.escapedMessage
        return message
            + (diagnostic.fix.map { "\n" + head("fix", "32") + $0.escapedMessage } ?? "")
    }

    static let beginnings = [Label.error.rawValue, Label.warning.rawValue, "fix"]
}

extension Diagnostic {
    /// The same problem, behind words that say what it is about.
    package func behind(_ words: String) -> Diagnostic {
        Diagnostic(words + message, fix: fix, code: code)
    }
}

// The one place where texts are made harmless before they are printed. Names of files, arguments, notes,
// and texts of modules and of tools stand in errors and reports as they are, and come through here on
// their way to a terminal or a pipe. JSON has escapes of its own.

extension String {
    /// The text on one line: control characters, line breaks and characters that change the direction of
    /// text are escaped, as in `\u{1b}`.
    package var escapedLine: String {
        isPlainASCII || isOneLine ? self : Self(escaping: unicodeScalars)
    }

    /// The text with its line breaks and tabs; other characters are escaped as in ``escapedLine``.
    ///
    /// - Parameter keepsColors: Whether the sequences that colour a text stay.
    package func escapedLines(keepsColors: Bool = false) -> String {
        let isPlain = utf8.allSatisfy { byte in
            (byte >= 0x20 && byte < 0x7f) || "\n\t".utf8.contains(byte)
        }
        if isPlain { return self }
        return unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { Self(escaping: $0, keepsTabs: true, keepsColors: keepsColors) }
            .joined(separator: "\n")
    }

    /// The text of a message. A line break stays where the next line is empty or begins with two spaces,
    /// as our own words write it: no name and no text of a module begins a line of its own.
    package var escapedMessage: String {
        if isPlainASCII || isOneLine { return self }
        let lines = unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        var text = ""
        for (index, line) in lines.enumerated() {
            let isLast = index == lines.count - 1
            let stays = line.isEmpty ? !isLast : line.starts(with: "  ".unicodeScalars)
            if index > 0 { text += stays ? "\n" : #"\u{a}"# }
            text += Self(escaping: line)
        }
        return text
    }

    private init(
        escaping scalars: some BidirectionalCollection<Unicode.Scalar>, keepsTabs: Bool = false,
        keepsColors: Bool = false
    ) {
        self = ""
        var rest = scalars[...]
        while let scalar = rest.first {
            if keepsColors, scalar == "\u{1b}", let end = Self.endOfColor(rest) {
                unicodeScalars.append(contentsOf: rest[..<end])
                rest = rest[end...]
                continue
            }
            if scalar.isHarmless || (keepsTabs && scalar == "\t") {
                unicodeScalars.append(scalar)
            } else {
                self += scalar.escape
            }
            rest = rest.dropFirst()
        }
    }

    /// The end of a sequence such as `\u{1b}[1;31m`; `nil` if the text begins with none.
    private static func endOfColor<Scalars: Collection<Unicode.Scalar>>(
        _ text: Scalars
    ) -> Scalars.Index? {
        let parameters = text.dropFirst().dropFirst()
        guard text.dropFirst().first == "[",
            let end = parameters.firstIndex(where: { !("0"..."9" ~= $0 || $0 == ";") }),
            text[end] == "m"
        else { return nil }
        return text.index(after: end)
    }

    private var isPlainASCII: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f } }

    /// A text of a module or a feature as it is printed: behind its name, and further lines indented below
    /// the name. So none of its lines looks like a message of the host, whatever it says.
    ///
    /// - Parameter name: The module's id, or the name of the feature.
    func said(by name: String) -> String {
        var lines = unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { Self(escaping: $0, keepsTabs: true) }
        while lines.count > 1, lines.last?.isEmpty == true { lines.removeLast() }
        // A module may have the name of what begins the messages of the host.
        let isAmbiguous = Messages.beginnings.contains(name)
        return (isAmbiguous ? "'\(name)'" : name.escapedLine) + ": "
            + lines.joined(separator: "\n  ")
    }
}
