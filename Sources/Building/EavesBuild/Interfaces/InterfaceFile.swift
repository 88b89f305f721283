// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
import EavesCompiler
import EavesDeclaration
import EavesELF
import EavesSystem
import EavesTrust

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
