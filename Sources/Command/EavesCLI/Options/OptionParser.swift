// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@preconcurrency import CEavesSystem
import Glibc

/// Parses options with `getopt_long`: long ones may be shortened and written with `=`, short ones may
/// be put together, and `--` ends them.
///
/// `getopt_long` keeps its state in global variables, so only one thread may parse at a time. In the
/// command, only the start of the program does.
struct OptionParser {
    /// The options that may be given.
    let specs: [OptionSpec]
    /// Whether the first operand ends the options.
    let stopsAtOperand: Bool

    /// - Throws: ``CommandError`` about the first option that is unknown, lacks its value, or has one
    ///   that it does not take.
    func parse(_ words: [String]) throws(CommandError) -> ParsedOptions {
        let names = specs.map { strdup($0.long) }
        defer { names.forEach { free($0) } }
        var longOptions = specs.indices.map { index in
            option(
                name: names[index],
                has_arg: specs[index].value == nil ? 0 : specs[index].isValueOptional ? 2 : 1,
                flag: nil,
                val: Int32(Self.firstCode + index))
        }
        longOptions.append(option())
        // getopt_long sorts the pointers, so that another array keeps what has to be freed.
        var pointers = (["eaves"] + words).map { strdup($0) }
        let allocated = pointers
        defer { allocated.forEach { free($0) } }
        pointers.append(nil)

        var parsed = ParsedOptions()
        optind = 0
        opterr = 0
        while true {
            let count = Int32(pointers.count - 1)
            let code = getopt_long(count, &pointers, shortOptions, &longOptions, nil)
            if code == -1 { break }
            guard let spec = spec(for: code) else { throw error(code, pointers) }
            parsed.values[spec.long, default: []].append(optarg.map { String(cString: $0) } ?? "")
        }
        parsed.operands = pointers[Int(optind)...].compactMap { $0.map { String(cString: $0) } }
        return parsed
    }

    /// The code of the first long option; above all characters, which are the codes of short ones.
    private static let firstCode = 0x1000

    /// `+` ends the options at the first operand; `:` makes a missing value differ from an unknown
    /// option.
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

    /// Why `getopt_long` returned `:` or `?`. It leaves in `optopt` the code of a known long option,
    /// the letter of a short one, or 0 for a long one that is unknown or short for several.
    private func error(
        _ code: Int32, _ pointers: [UnsafeMutablePointer<CChar>?]
    ) -> CommandError {
        func word(_ index: Int32) -> String {
            pointers[Int(index)].map { String(cString: $0) } ?? ""
        }
        let known = specs.map { "--" + $0.long }
        if optopt == 0 {
            return .unknownOption(String(word(optind - 1).prefix { $0 != "=" }), known: known)
        }
        let index = Int(optopt) - Self.firstCode
        if known.indices.contains(index) {
            return code == Int32(UInt8(ascii: ":"))
                ? .missingValue(option: known[index]) : .unexpectedValue(option: known[index])
        }
        // The first byte of a letter beyond ASCII; its word is not parsed to the end.
        guard let letter = UInt8(exactly: optopt), letter < 0x80 else {
            return .unknownOption(word(optind), known: known)
        }
        let option = "-" + String(Unicode.Scalar(letter))
        return code == Int32(UInt8(ascii: ":"))
            ? .missingValue(option: option) : .unknownOption(option, known: known)
    }
}
