// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesHost
import EavesManifest

/// Completes what a person types in a shell: commands, and the words that may follow them.
struct ShellCompletion {
    /// The effect of a completion on the screen.
    struct Result: Equatable {
        /// Is inserted at the cursor.
        var insertion = ""
        /// Is printed below the line.
        var listing = ""
    }

    /// The names of the commands, with their options.
    var commands: [String: [String]] = [:]
    var features: [String] = []
    var modules: [String] = []
    /// The modules that provide a service, by its name.
    var providers: [String: [String]] = [:]

    /// Completes the last word of a line.
    ///
    /// - Parameter line: The text up to the cursor.
    func complete(_ line: String) -> Result {
        let start = line.lastIndex(of: " ").map { line.index(after: $0) } ?? line.startIndex
        let word = String(line[start...])
        let matches = candidates(line[..<start].split(separator: " ").map(String.init), word)
            .filter { $0.hasPrefix(word) }.sorted()
        guard let first = matches.first else { return Result() }
        if matches.count == 1 { return Result(insertion: first.dropFirst(word.count) + " ") }
        let common = matches.dropFirst().reduce(Substring(first)) { common, match in
            common.prefix(zip(common, match).prefix { $0 == $1 }.count)
        }
        if common.count > word.count {
            return Result(insertion: String(common.dropFirst(word.count)))
        }
        return Result(listing: matches.map(\.escapedLine).joined(separator: "  ") + "\n")
    }

    /// The words that may follow others.
    private func candidates(_ before: [String], _ word: String) -> [String] {
        guard let command = before.first else { return Array(commands.keys) }
        if word.hasPrefix("-") { return commands[command] ?? [] }
        switch (command, before.count) {
        case ("launch", 1): return features
        case ("swap", 1): return Array(providers.keys)
        case ("swap", 2): return providers[before[1]] ?? []
        case ("inspect", 1), ("enable", 1), ("disable", 1): return modules
        case ("help", 1): return Array(commands.keys)
        default: return []
        }
    }
}

extension ShellCompletion {
    /// The words of a manifest and of its modules as they are on the disk.
    init(_ manifest: Manifest?) {
        for command in ShellSubcommand.all {
            let options = command.type.options.shown(inShell: true)
            commands[command.type.name] = (options + [.help]).map { "--" + $0.long }
        }
        guard let manifest else { return }
        let catalog = Catalog(manifest: manifest, profile: .current)
        for entry in catalog.entries where entry.isUsed {
            modules.append(entry.id)
            guard let declaration = entry.declaration else { continue }
            features += declaration.features.map(\.name)
            for provision in Set(declaration.provides) {
                let key = BindingKey(
                    catalog.services.shown(provision.service), name: provision.name
                ).text
                providers[key, default: []].append(entry.id)
            }
        }
    }
}
