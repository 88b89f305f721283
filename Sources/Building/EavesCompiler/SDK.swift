// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
package import EavesDeclaration
package import EavesJSON
package import EavesSystem

/// The interface module and the C header of one host, which modules are compiled against.
package struct SDK: Hashable, Sendable {
    /// The folder with `EavesInterface.swiftmodule`.
    package let moduleFolder: String
    package let moduleMap: String
    /// The interface as text, with all that the compiler sees of it.
    package let textualInterface: String
    package let header: String

    /// Finds the SDK of a host without reading its header, because each launch calls this.
    ///
    /// The SDK is next to the executable, as `swift build` leaves it, or in `../lib/eaves`. Its module
    /// map is in `CEaves.build` or `include`.
    ///
    /// - Parameter executable: The path of the host's executable.
    package static func locate(forHost executable: String) throws(BuildError) -> SDK {
        let folder = Path.parent(of: Files.resolved(executable) ?? Path.absolute(executable))
        let places = [folder, Path.absolute("../lib/eaves", from: folder)]
        for place in places {
            if let sdk = try SDK(in: place) { return sdk }
        }
        throw BuildError("eaves", .noSDK(searched: places))
    }

    /// `nil` if the folder has no SDK.
    private init?(in folder: String) throws(BuildError) {
        let modules = Path.join(folder, "Modules")
        let interface = Path.join(modules, "\(InterfaceStamp.hostModule).swiftinterface")
        let maps = ["CEaves.build/module.modulemap", "include/module.modulemap"]
            .map { Path.join(folder, $0) }
        let map = maps.first { (try? FileStatus(path: $0)) != nil }
        guard let map, (try? FileStatus(path: interface)) != nil else { return nil }
        moduleFolder = modules
        moduleMap = map
        textualInterface = interface
        header = try Self.header("eaves.h", of: map)
    }

    /// The path of a header that a module map names.
    ///
    /// SwiftPM's module map names the header's folder (`umbrella "/…/include"`), a map that was written
    /// by hand the header itself. Relative paths are relative to the map.
    private static func header(_ name: String, of map: String) throws(BuildError) -> String {
        let bytes = try BuildError.about("eaves", BuildCause.unreadable, try Files.read(map))
        // The path is the text between the first two quotes.
        let parts = bytes.split(
            separator: UInt8(ascii: "\""), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw BuildError("eaves", .damagedSDK(path: map, missing: "the path of \(name)"))
        }
        let place = Path.absolute(
            String(decoding: parts[1], as: UTF8.self), from: Path.parent(of: map))
        return Path.name(of: place) == name ? place : Path.join(place, name)
    }

    /// Reads the versions of the C ABI and of the interface that the header defines.
    package func versions() throws(BuildError) -> (abi: Int, interface: InterfaceVersion) {
        let bytes = try BuildError.about("eaves", BuildCause.unreadable, try Files.read(header))
        var numbers: [String: Int] = [:]
        // By bytes: to split a text of characters would take many times as long.
        for line in bytes.split(separator: UInt8(ascii: "\n")) where line.first == UInt8(ascii: "#")
        {
            let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            guard words.count >= 3, words[0] == "#define", let number = Int(words[2]) else {
                continue
            }
            numbers[String(words[1])] = number
        }
        func number(of name: String) throws(BuildError) -> Int {
            if let number = numbers[name] { return number }
            throw BuildError("eaves", .damagedSDK(path: header, missing: name))
        }
        let abi = try number(of: "EAVES_ABI_VERSION")
        let interface = InterfaceVersion(
            major: try number(of: "EAVES_INTERFACE_MAJOR"),
            minor: try number(of: "EAVES_INTERFACE_MINOR"))
        return (abi, interface)
    }

    /// The folder of the package of Eaves, which the host was built from; `nil` if it is not there.
    package var package: String? {
        // From `Sources/Contract/CEaves/include`.
        let folder = Path.absolute("../../../..", from: Path.parent(of: header))
        let manifest = Path.join(folder, "Package.swift")
        return (try? FileStatus(path: manifest)) == nil ? nil : folder
    }

    package var identity: SDKIdentity { SDKIdentity(self) }
}

/// Identifies one state of an SDK by the files that modules depend on.
package struct SDKIdentity: Hashable, Sendable {
    private let interface: BuildIdentity?
    private let header: BuildIdentity?

    init(_ sdk: SDK) {
        interface = BuildIdentity(path: sdk.textualInterface)
        header = BuildIdentity(path: sdk.header)
    }

    package init(_ node: JSONNode?) {
        interface = BuildIdentity(node?["interface"])
        header = BuildIdentity(node?["header"])
    }

    package var json: JSON {
        ["interface": interface?.json ?? nil, "header": header?.json ?? nil]
    }
}

/// The content of an SDK that modules depend on, read once for all modules of a build.
package struct SDKContent: Sendable {
    /// Taken before the content was read.
    package let identity: SDKIdentity
    /// The textual interface without its comments, which only tell how it was made.
    package let interface: [UInt8]
    package let header: [UInt8]
    /// The version of the compiler that made the interface, such as `6.3.1`.
    let compilerVersion: String?
    /// The names of the interface's public protocols. Sorted.
    package let protocols: [String]

    package init(_ sdk: SDK) throws(BuildError) {
        identity = sdk.identity
        do throws(SystemError) {
            let text = try Files.read(sdk.textualInterface)
            interface = InterfaceText.content(of: text)
            protocols = InterfaceText(interface).protocols(of: InterfaceStamp.hostModule)
            header = try Files.read(sdk.header)
            compilerVersion = text.split(separator: UInt8(ascii: "\n"))
                .prefix { $0.starts(with: "//".utf8) }
                .map { String(decoding: $0, as: UTF8.self) }
                .first { $0.hasPrefix("// swift-compiler-version:") }
                .flatMap(Compiler.version(in:))
        } catch {
            throw BuildError("eaves", .unreadable(error))
        }
    }
}

/// Identifies one state of a file for builds: a ``FileIdentity`` without the device, whose number changes
/// when its file system is mounted again.
package struct BuildIdentity: Hashable, Sendable {
    /// Its device is always 0.
    private let file: FileIdentity

    package init(_ status: FileStatus) {
        self.init(FileIdentity(status))
    }

    /// `nil` if the file does not exist or cannot be looked at.
    package init?(path: String) {
        guard let status = try? FileStatus(path: path) else { return nil }
        self.init(status)
    }

    init(_ identity: FileIdentity) {
        var file = identity
        file.device = 0
        self.file = file
    }

    /// This identity, or one that matches no file if a later change could leave the file's times as they
    /// are: the next look then compares the content.
    ///
    /// - Parameter now: A time before the file was read, in nanoseconds since 1970.
    package func settled(at now: Int64) -> BuildIdentity {
        BuildIdentity(file.settled(at: now))
    }
}

extension BuildIdentity {
    package var json: JSON {
        [
            "inode": .string(String(file.inode)), "size": .integer(Int(file.size)),
            "modified": .integer(Int(file.modified)), "changed": .integer(Int(file.changed)),
        ]
    }

    /// `nil` if the value is missing or damaged.
    package init?(_ node: JSONNode?) {
        guard let inode = node?["inode"]?.string.flatMap({ UInt64($0) }),
            let size = node?["size"]?.integer, let modified = node?["modified"]?.integer,
            let changed = node?["changed"]?.integer
        else { return nil }
        file = FileIdentity(
            device: 0, inode: inode, size: Int64(size), modified: Int64(modified),
            changed: Int64(changed))
    }
}
