// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
package import EavesDeclaration
package import EavesJSON
import EavesSystem

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
        let numbers = try HeaderNumbers(header)
        let abi = try numbers.number(of: "EAVES_ABI_VERSION")
        let interface = InterfaceVersion(
            major: try numbers.number(of: "EAVES_INTERFACE_MAJOR"),
            minor: try numbers.number(of: "EAVES_INTERFACE_MINOR"))
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
            let lines = try Files.read(sdk.textualInterface).split(separator: UInt8(ascii: "\n"))
            let isComment = { (line: ArraySlice<UInt8>) in line.starts(with: "//".utf8) }
            interface = Array(lines.filter { !isComment($0) }.joined(separator: "\n".utf8))
            protocols = InterfaceText(interface).protocols(of: InterfaceStamp.hostModule)
            header = try Files.read(sdk.header)
            compilerVersion = lines.prefix(while: isComment)
                .map { String(decoding: $0, as: UTF8.self) }
                .first { $0.hasPrefix("// swift-compiler-version:") }
                .flatMap(Compiler.version(in:))
        } catch {
            throw BuildError("eaves", .unreadable(error))
        }
    }
}

private struct HeaderNumbers {
    private let path: String
    private let numbers: [String: Int]

    /// Reads the bytes line by line; reading characters would take many times as long.
    init(_ path: String) throws(BuildError) {
        self.path = path
        var rest = try BuildError.about("eaves", BuildCause.unreadable, try Files.read(path))[...]
        var numbers: [String: Int] = [:]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            if rest.first == UInt8(ascii: "#") {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                let words = line.split(whereSeparator: \.isWhitespace)
                if words.count >= 3, words[0] == "#define", let number = Int(words[2]) {
                    numbers[String(words[1])] = number
                }
            }
            rest = rest[end...].dropFirst()
        }
        self.numbers = numbers
    }

    func number(of name: String) throws(BuildError) -> Int {
        guard let number = numbers[name] else {
            throw BuildError("eaves", .damagedSDK(path: path, missing: name))
        }
        return number
    }
}
