// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesJSON
import EavesSystem
import EavesTrust

/// Asks tools that come with the compiler for the declarations of an interface module that was built.
struct InterfaceDump {
    private let request: BuildRequest
    private let interface: BuiltInterface

    init(_ request: BuildRequest, _ interface: BuiltInterface) {
        self.request = request
        self.interface = interface
    }

    /// - Throws: ``InterfaceReviewError`` if a tool is missing or fails.
    func api() throws -> InterfaceAPI {
        let folder: WorkFolder
        do {
            let outputs = try request.trust.openWorkplace(Path.parent(of: request.output))
            folder = try WorkFolder(in: outputs, for: "review")
        } catch PlaceError.untrusted(let error) {
            throw InterfaceReviewError(request.id, .untrusted(error))
        } catch PlaceError.system(let error) {
            throw InterfaceReviewError(request.id, .unwritable(error))
        }
        let output = Path.join(folder.path, "api.json")
        let name = "swift-api-digester"
        let printed = try run(
            name,
            ["-dump-sdk", "-abi", "-avoid-tool-args", "-module", interface.module, "-o", output]
                + interface.searchOptions,
            in: folder)
        guard let bytes = try? Files.read(output, limit: 256 << 20),
            let node = try? JSONNode.parse(bytes),
            let api = try InterfaceAPI(
                dump: node, module: interface.module, text: interface.contentDigest,
                demangle: { try demangled($0, in: folder) })
        else {
            throw InterfaceReviewError(request.id, .toolFailed(name, reason: Self.reason(printed)))
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
                throw InterfaceReviewError(
                    request.id, .toolFailed(name, reason: Self.reason(printed)))
            }
            for (symbol, line) in zip(group, lines) { names[symbol] = String(line) }
        }
        return names
    }

    /// Runs a tool of the compiler's toolchain.
    private func run(
        _ name: String, _ arguments: [String], in folder: WorkFolder
    ) throws(InterfaceReviewError) -> String {
        guard let path = interface.path(ofTool: name) else {
            throw InterfaceReviewError(request.id, .noTool(name))
        }
        do throws(ToolError) {
            try ToolFinder(searchPath: nil).checkTrust(of: path)
        } catch {
            guard case .untrusted(let reason) = error else {
                throw InterfaceReviewError(request.id, .noTool(name))
            }
            throw InterfaceReviewError(request.id, .untrusted(reason))
        }
        var environment = interface.environment
        environment["TMPDIR"] = folder.path
        let report: ChildReport
        do throws(SystemError) {
            report = try ChildPool.run(
                ChildCommand(path, arguments, environment: environment))
        } catch {
            throw InterfaceReviewError(
                request.id, .toolFailed(name, reason: error.errno.description))
        }
        let printed = String(decoding: report.output, as: UTF8.self)
        guard report.ending.isSuccess else {
            let reason = "\(report.ending), \(Self.reason(printed))"
            throw InterfaceReviewError(request.id, .toolFailed(name, reason: reason))
        }
        return printed
    }

    private static func reason(_ printed: String) -> String {
        printed.split(whereSeparator: \.isNewline).first.map(String.init) ?? "no output"
    }
}
