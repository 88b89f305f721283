// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesSystem

/// An interface module as others are compiled against it.
struct InterfaceFile: Hashable, Sendable {
    let id: String
    /// Its `.so`, or the textual interface in the SDK of a program that has it linked in. Absolute.
    let path: String
    /// Taken before the file was read.
    let identity: BuildIdentity
    let stamp: InterfaceStamp
    /// Without the Swift module's name.
    let protocols: [String]
    /// The id of the module whose own interface it is; `nil` for a common one.
    let owner: String?
    let needs: [InterfaceNeed]
    let text: InterfaceText
    /// Whether the compiler finds it in the SDK.
    let isLinked: Bool

    /// Reads the `.so` of an interface module.
    ///
    /// - Parameters:
    ///   - shown: The file as messages name it.
    ///   - host: The host that the module has to be built for; `nil` for any.
    init(
        _ id: String, at path: String, shownAs shown: String, for host: HostProfile?
    ) throws(InterfaceUseProblem) {
        let now = WallClock.now
        let note: ModuleNote
        let section: [UInt8]?
        let companions: [UInt8]?
        do {
            let file = try ELFFile(path)
            identity = BuildIdentity(file.status).settled(at: now)
            let document = try NoteDocument(among: try file.notes())
            let tag = try document.tag()
            if let host {
                let machine = file.header.machine
                let problem =
                    machine == host.machine
                    ? host.compatibilityProblem(of: tag)
                    : .machine(built: machine, host: host.machine)
                if let problem { throw InterfaceUseProblem.otherHost(id: id, file: shown, problem) }
            }
            note = try document.note()
            section = try file.section(
                named: InterfaceSection.name, limit: InterfaceSection.sizeLimit)
            companions = try file.section(
                named: InterfaceSection.companions, limit: InterfaceSection.sizeLimit)
        } catch let error as ELFError {
            throw .damaged(id: id, file: shown, error)
        } catch let error as NoteError {
            throw .unreadableNote(id: id, file: shown, error)
        } catch let error as InterfaceUseProblem {
            throw error
        } catch {
            // The three above are all that the calls throw.
            throw .noText(id: id, file: shown)
        }
        guard let content = note.declaration.interface, let stamp = note.declaration.interfaceStamp
        else { throw .notAnInterface(id: id, file: shown, layer: note.declaration.layer) }
        guard let section else { throw .noText(id: id, file: shown) }
        self.id = id
        self.path = path
        self.stamp = stamp
        protocols = content.protocols
        owner = note.declaration.owner
        needs = note.declaration.interfaces
        guard let text = InterfaceText(section, companionSection: companions, of: stamp) else {
            throw .noText(id: id, file: shown)
        }
        self.text = text
        isLinked = false
    }

    /// Reads the textual interface of an interface module that the host's program has linked in.
    init(linked interface: ProgramInterface, in sdk: SDK) throws(InterfaceUseProblem) {
        let module = interface.stamp.module
        path = Path.join(sdk.moduleFolder, "\(module).swiftinterface")
        let now = WallClock.now
        guard let found = BuildIdentity(path: path),
            let bytes = try? Files.read(path, limit: InterfaceSection.sizeLimit)
        else { throw .noLinkedText(id: interface.id, file: path) }
        id = interface.id
        identity = found.settled(at: now)
        stamp = interface.stamp
        text = InterfaceText(bytes)
        protocols = text.protocols(of: module)
        owner = interface.owner
        needs = []
        isLinked = true
    }

    /// The digest of what modules depend on that are compiled against it.
    var digest: String {
        Self.digest(of: text, stamp: isLinked ? nil : stamp)
    }

    /// The digest of the interface that a file has now; `nil` if it cannot be read.
    static func digest(at path: String) -> String? {
        if path.hasSuffix(".swiftinterface") {
            let bytes = try? Files.read(path, limit: InterfaceSection.sizeLimit)
            return bytes.map { digest(of: InterfaceText($0), stamp: nil) }
        }
        return (try? InterfaceFile("", at: path, shownAs: path, for: nil))?.digest
    }

    private static func digest(of text: InterfaceText, stamp: InterfaceStamp?) -> String {
        var hash = SHA256()
        hash.update("\(stamp?.module ?? "") \(stamp?.version.description ?? "")\n".utf8)
        hash.update(text.content)
        return hash.finalize().hex
    }
}

/// A new file of an interface module, compared with the file that it replaces: the modules that were built against
/// the old one, and that the new one breaks although its version says that it does not.
///
/// A file with another major version breaks no module: none that was built against an earlier one uses it.
struct InterfaceReplacement {
    private let new: InterfaceStamp
    private let earlierProtocols: InterfaceProtocols
    private let protocols: InterfaceProtocols
    /// The symbols that the old file has and the new one has not.
    private let gone: Set<String>

    /// - Parameter old: The file that is replaced.
    /// - Returns: `nil` if there is no old file of the same major version, or it is damaged: then no module runs
    ///   with it.
    init?(of old: String, by file: String) throws(ELFError) {
        guard let earlier = ModuleContent(old).note?.declaration.interfaceStamp,
            let new = ModuleContent(file).note?.declaration.interfaceStamp,
            earlier.module == new.module, earlier.version.major == new.version.major,
            let before = try? BinaryReport(of: old),
            let earlierProtocols = try? InterfaceProtocols(of: old, earlier)
        else { return nil }
        self.new = new
        self.earlierProtocols = earlierProtocols
        protocols = try InterfaceProtocols(of: file, new)
        gone = Set(new.symbolPrefixes.flatMap(before.definedNames(startingWith:)))
            .subtracting(try BinaryReport(of: file).definedNames())
    }

    /// Finds the symbols by which the new file breaks a module: those that the module lacks, or no longer finds, with the
    /// new file and not with the old one. Mangled, sorted; empty if the new file makes no difference to the module.
    func breakage(of user: String) throws(ELFError) -> (lacking: [String], gone: [String]) {
        let conformances = try SwiftConformance.all(in: user, to: [new])
        let used = try new.symbolPrefixes.flatMap(
            BinaryReport(of: user).undefinedNames(startingWith:))
        let lackedBefore = earlierProtocols.requirements(lackingIn: conformances)
        let lacking = protocols.requirements(lackingIn: conformances)
            .filter { !lackedBefore.contains($0) }
        return (lacking, used.filter(gone.contains).sorted())
    }

    /// The message that names the modules that break; `nil` if none does.
    ///
    /// - Parameter users: The modules that are built against the interface and that this build does not build again.
    func warning(of id: String, _ users: [InterfaceUserFile]) -> Diagnostic? {
        var broken: [(id: String, words: String)] = []
        for user in users {
            // A file that cannot be read is broken anyway, and all commands say so.
            guard let (lacking, gone) = try? breakage(of: user.file),
                !lacking.isEmpty || !gone.isEmpty
            else { continue }
            let parts = [
                ("lacks ", lacking.map(SymbolName.requirement)),
                ("uses what is gone, ", gone.map(SymbolName.demangled)),
            ]
            let words = parts.filter { !$0.1.isEmpty }.map { start, names in
                start + names.map { "'\($0)'" }.abridged(by: ", ")
            }
            broken.append((user.id, words.joined(separator: ", and ")))
        }
        guard !broken.isEmpty else { return nil }
        let next = InterfaceVersion(major: new.version.major + 1, minor: 0)
        let ids = broken.map { "'\($0.id)'" }.abridged(by: ", ")
        return Diagnostic(
            "\(id): its version is still \(new.version), and it breaks modules that were built against the file "
                + "that it replaces: "
                + broken.map { "'\($0.id)' \($0.words)" }.joined(separator: "; "),
            fix:
                "give what was added a default implementation, and keep what was there; or write the version "
                + "\(next).0 into its module.json, and build \(ids) again",
            code: .incompatible)
    }
}

/// The file of a module that names an interface.
package struct InterfaceUserFile: Hashable, Sendable {
    package var id: String
    /// Absolute.
    package var file: String
    /// The folder that it is built from; `nil` if there are no sources of it here. Absolute.
    package var folder: String?

    package init(id: String, file: String, folder: String?) {
        self.id = id
        self.file = file
        self.folder = folder
    }
}
