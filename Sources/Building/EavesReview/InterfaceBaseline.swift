// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
import EavesJSON
import EavesSystem
import EavesTrust

/// The state of an interface that `eaves interface check` compares with: a file in the module's folder,
/// which is committed with the sources.
package struct InterfaceBaseline: Hashable, Sendable {
    package static let fileName = "baseline.json"
    private static let schema = 1
    /// No interface has more declarations. In bytes.
    private static let sizeLimit = 64 << 20

    package var version: InterfaceVersion
    package var api: InterfaceAPI

    /// Reads the baseline of a folder.
    ///
    /// - Returns: `nil` if the folder has none.
    static func load(
        in folder: String, shownAs shown: String
    ) throws(InterfaceReviewError) -> InterfaceBaseline? {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.read(Path.join(folder, fileName), limit: sizeLimit)
        } catch {
            if error.errno.meansMissing { return nil }
            throw InterfaceReviewError(shown, .unreadable(error))
        }
        let node: JSONNode
        do throws(JSONSyntaxError) {
            node = try JSONNode.parse(bytes)
        } catch {
            throw InterfaceReviewError(shown, .badBaseline("\(error)"))
        }
        guard let baseline = InterfaceBaseline(node) else {
            throw InterfaceReviewError(
                shown, .badBaseline("it lacks what 'eaves interface bump' writes"))
        }
        return baseline
    }

    /// Replaces the baseline of a folder in one step.
    func save(in folder: String, _ trust: TrustCheck) throws(PlaceError) {
        let json: JSON = [
            "baseline": .integer(Self.schema), "module": .string(api.module),
            "version": .string(version.description), "text": .string(api.text),
            "declarations": .array(api.declarations.map(\.json)),
        ]
        let text = json.text(pretty: true) + "\n"
        try Output(Path.join(folder, Self.fileName), trust).replace(with: Array(text.utf8))
    }
}

extension InterfaceBaseline {
    private init?(_ node: JSONNode) {
        guard node["baseline"]?.integer == Self.schema, let module = node["module"]?.string,
            let version = node["version"]?.string.flatMap({ InterfaceVersion($0) }),
            let text = node["text"]?.string, let elements = node["declarations"]?.elements
        else { return nil }
        let declarations = elements.compactMap { InterfaceAPI.Declaration($0) }
        guard declarations.count == elements.count else { return nil }
        self.version = version
        api = InterfaceAPI(module: module, declarations: declarations, text: text)
    }
}
