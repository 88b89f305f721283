// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The symbols that this process offers to the modules it loads.
package enum HostSymbols {
    /// Whether the process, or a library it has loaded, defines a symbol.
    package static func has(_ name: String) -> Bool {
        dlsym(nil, name) != nil
    }

    /// A Swift symbol as people write it, or the symbol itself if it is none.
    package static func demangled(_ symbol: String) -> String {
        typealias Demangle =
            @convention(c) (
                UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?,
                UInt32
            ) -> UnsafeMutablePointer<CChar>?
        guard let function = dlsym(nil, "swift_demangle") else { return symbol }
        // SAFETY: the runtime's C function has had this type since Swift 5; it allocates the
        // result with malloc when it is given no buffer.
        let demangle = unsafeBitCast(function, to: Demangle.self)
        guard let text = demangle(symbol, symbol.utf8.count, nil, nil, 0) else { return symbol }
        defer { free(text) }
        return String(cString: text)
    }
}
