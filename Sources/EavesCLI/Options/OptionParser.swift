// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@preconcurrency import CSystem
import Glibc

/// Reads options with `getopt_long`: long ones may be shortened and written with `=`, short ones
/// put together, and `--` ends them.
///
/// `getopt_long` keeps its place in global variables, so only the start of the program calls this.
struct OptionParser {
    let specs: [OptionSpec]
    let stopsAtOperand: Bool

    func parse(_ words: [String]) throws(UsageFault) -> ParsedOptions {
        let names = specs.map { strdup($0.long) }
        defer { names.forEach { free($0) } }
        var longOptions = specs.indices.map { index in
            option(
                name: names[index], has_arg: specs[index].value == nil ? 0 : 1, flag: nil,
                val: Int32(Self.firstCode + index))
        }
        longOptions.append(option())
        var pointers = (["eaves"] + words).map { strdup($0) }
        let kept = pointers
        defer { kept.forEach { free($0) } }
        pointers.append(nil)

        var parsed = ParsedOptions()
        optind = 0
        opterr = 0
        while true {
            let count = Int32(pointers.count - 1)
            let code = getopt_long(count, &pointers, shortOptions, &longOptions, nil)
            if code == -1 { break }
            guard let spec = spec(for: code) else { throw fault(code, pointers) }
            parsed.values[spec.long, default: []].append(optarg.map { String(cString: $0) } ?? "")
        }
        parsed.operands = pointers[Int(optind)...].compactMap { $0.map { String(cString: $0) } }
        return parsed
    }

    /// Codes above all characters, so that long options are told from short ones.
    private static let firstCode = 0x1000

    /// `+` ends the options at the first operand, `:` tells a missing value from an unknown option.
    private var shortOptions: String {
        var letters = stopsAtOperand ? "+:" : ":"
        for spec in specs {
            guard let letter = spec.short else { continue }
            letters.append(letter)
            if spec.value != nil { letters += ":" }
        }
        return letters
    }

    private func spec(for code: Int32) -> OptionSpec? {
        let index = Int(code) - Self.firstCode
        if specs.indices.contains(index) { return specs[index] }
        guard let scalar = Unicode.Scalar(UInt32(bitPattern: code)), scalar != "?" else {
            return nil
        }
        return specs.first { $0.short == Character(scalar) }
    }

    private func fault(
        _ code: Int32, _ pointers: [UnsafeMutablePointer<CChar>?]
    ) -> UsageFault {
        let word = pointers[Int(optind) - 1].map { String(cString: $0) } ?? ""
        let letter = Unicode.Scalar(UInt32(bitPattern: optopt)).map(Character.init)
        let isLong = word.hasPrefix("--")
        let option =
            isLong ? String(word.prefix { $0 != "=" }) : "-" + (letter.map(String.init) ?? "")
        if code == Int32(UInt8(ascii: ":")) { return .missingValue(option) }
        let isKnown = isLong && specs.contains { "--" + $0.long == option }
        return isKnown
            ? .unexpectedValue(option)
            : .unknownOption(option, known: specs.map { "--" + $0.long })
    }
}
