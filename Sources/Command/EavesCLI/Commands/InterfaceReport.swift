// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesDiagnostics
import EavesJSON
import EavesReview

/// The comparison of one interface module with its baseline, as JSON and as text.
struct InterfaceReport {
    private let review: InterfaceReview

    init(_ review: InterfaceReview) {
        self.review = review
    }

    var text: String {
        guard let baseline = review.baseline else {
            return "\(review.id) \(review.version): no baseline yet\n"
        }
        let heading = "\(review.id) \(review.version): "
        if review.changes.isEmpty {
            let words =
                review.hasOtherText
                ? "no binary sees what changed since \(baseline.version)"
                : "nothing changed since \(baseline.version)"
            return heading + words + "\n"
        }
        let lines = review.changes.map { "  \($0.message)  (\(Self.words($0.breaks)))\n" }
        return heading + "\(count) since \(baseline.version), \(Self.words(review.broken))\n"
            + lines.joined()
    }

    var json: JSON {
        [
            "id": .string(review.id),
            "version": .string(review.version),
            "baseline": review.baseline.map { .string($0.version.description) } ?? .null,
            "following": review.following.map { .string($0.description) } ?? .null,
            "isRight": .bool(problem == nil),
            "breaks": Self.json(review.broken),
            "changes": .array(
                review.changes.map { change in
                    [
                        "change": .string(change.kind.rawValue),
                        "declaration": .string(change.name),
                        "message": .string(change.message),
                        "breaks": Self.json(change.breaks),
                    ]
                }),
        ]
    }

    /// The same after the version was set.
    func json(bumpedTo version: String) -> JSON {
        guard case .object(var members) = json else { return json }
        for index in members.indices {
            if members[index].name == "version" { members[index].value = .string(version) }
            if members[index].name == "isRight" { members[index].value = true }
        }
        return .object(members)
    }

    /// The reason why the state of the module is not one to ship; `nil` if it is.
    var problem: Diagnostic? {
        let bump = "eaves interface bump \(review.id)"
        guard let following = review.following, let baseline = review.baseline else {
            return Diagnostic(
                "\(review.id): there is no \(InterfaceBaseline.fileName) to compare with",
                fix: "write it with '\(bump)', and commit it", code: .notFound)
        }
        if !review.broken.isEmpty {
            return Diagnostic(
                "\(review.id): the changes since \(baseline.version) break "
                    + "\(Self.names(review.broken)): modules that were built against it do not run "
                    + "with version \(following), and have to be built again",
                fix: "add instead of changing, and give each new requirement a default; or go on "
                    + "to \(following) with '\(bump)'",
                code: .incompatible)
        }
        guard !review.hasRightVersion else { return nil }
        return Diagnostic(
            "\(review.id): expected a version \(following), which follows from the changes, found "
                + "\(review.version.quoted)",
            fix: "set it with '\(bump)'", code: .badData)
    }

    /// The effect of `bump`.
    func bumpLines(_ version: String) -> [String] {
        var lines: [String]
        if review.baseline == nil {
            lines = ["\(review.id) \(version): wrote its first baseline"]
        } else if version == review.version {
            lines = [
                "\(review.id) \(version): "
                    + (review.changes.isEmpty ? "nothing to bump" : "wrote its baseline")
            ]
        } else {
            lines = ["\(review.id): \(review.version) → \(version)"]
        }
        if !review.broken.isEmpty {
            lines.append(
                "\(review.id): a new major version: build every module again that names it; one "
                    + "process cannot have modules of both")
        }
        return lines
    }

    private var count: String {
        review.changes.count == 1 ? "1 change" : "\(review.changes.count) changes"
    }

    private static func words(_ breaks: Set<InterfaceChange.Party>) -> String {
        "breaks \(names(breaks))"
    }

    private static func names(_ breaks: Set<InterfaceChange.Party>) -> String {
        let names = breaks.map(\.rawValue).sorted()
        return names.isEmpty ? "nothing" : names.joined(separator: " and ")
    }

    private static func json(_ breaks: Set<InterfaceChange.Party>) -> JSON {
        .array(breaks.map(\.rawValue).sorted().map(JSON.string))
    }
}
