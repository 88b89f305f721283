// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesCode
import EavesDeclaration
import EavesJSON
import EavesSystem
import EavesTrust

/// Asks tools that come with the compiler for the declarations of an interface module that was built.
struct InterfaceDump {
    let request: BuildRequest
    let interface: BuiltInterface

    /// - Throws: ``InterfaceReviewError`` if a tool is missing or fails.
    func distributed() throws -> DistributedCode {
        let folder = try workFolder()
        do throws(InterfaceToolError) {
            return try interface.tools.symbolGraph(of: interface.module, in: folder) { bytes in
                DistributedCode(
                    graph: bytes, of: interface.module, importing: interface.imports,
                    foreignTypes: interface.foreignTypes,
                    WallReport(ofFile: request.output) ?? WallReport())
            }
        } catch {
            throw InterfaceReviewError(request.id, .tool(error))
        }
    }

    private func workFolder() throws -> WorkFolder {
        do {
            let outputs = try request.trust.openWorkplace(Path.parent(of: request.output))
            return try WorkFolder(in: outputs, for: "review")
        } catch let error as PlaceError {
            throw InterfaceReviewError(request.id, writing: error)
        }
    }

    /// - Throws: ``InterfaceReviewError`` if a tool is missing or fails.
    func api() throws -> InterfaceAPI {
        let folder = try workFolder()
        let output = Path.join(folder.path, "api.json")
        let name = "swift-api-digester"
        let printed = try run(
            name,
            ["-dump-sdk", "-abi", "-avoid-tool-args", "-o", output]
                + interface.modules.flatMap { ["-module", $0] } + interface.tools.searchOptions,
            in: folder)
        guard let bytes = try? Files.read(output, limit: 256 << 20),
            let node = try? JSONNode.parse(bytes),
            let api = try InterfaceAPI(
                dump: node, modules: interface.modules, text: interface.contentDigest,
                demangle: { try demangled($0, in: folder) })
        else {
            throw InterfaceReviewError(request.id, .tool(InterfaceToolError(name, printed)))
        }
        return api
    }

    /// More symbols would make a command line too long.
    private static let symbolsAtOnce = 400

    private func demangled(
        _ symbols: [String], in folder: WorkFolder
    ) throws(InterfaceReviewError) -> [String: String] {
        let name = "swift-demangle"
        var names: [String: String] = [:]
        var rest = symbols[...]
        while !rest.isEmpty {
            let group = Array(rest.prefix(Self.symbolsAtOnce))
            rest = rest.dropFirst(group.count)
            let printed = try run(name, ["-compact"] + group, in: folder)
            let lines = printed.split(separator: "\n", omittingEmptySubsequences: false)
            guard lines.count >= group.count else {
                throw InterfaceReviewError(request.id, .tool(InterfaceToolError(name, printed)))
            }
            for (symbol, line) in zip(group, lines) { names[symbol] = String(line) }
        }
        return names
    }

    private func run(
        _ name: String, _ arguments: [String], in folder: WorkFolder
    ) throws(InterfaceReviewError) -> String {
        do throws(InterfaceToolError) {
            return try interface.tools.run(name, arguments, in: folder)
        } catch {
            throw InterfaceReviewError(request.id, .tool(error))
        }
    }
}
