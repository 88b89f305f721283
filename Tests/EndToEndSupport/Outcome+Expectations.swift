// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Eaves.Outcome {
    /// Checks that the command failed in good order: by itself, with this code, this message, and
    /// nothing else.
    ///
    /// - Parameters:
    ///   - code: The exit code.
    ///   - errors: All of standard error, without the last line's end.
    ///   - output: All of standard output.
    func expectFailure(
        _ code: Int32, _ errors: String, output: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(self.errors == errors + "\n", sourceLocation: sourceLocation)
        #expect(self.code == code, sourceLocation: sourceLocation)
        #expect(self.output == output, sourceLocation: sourceLocation)
        expectNoCrash(sourceLocation: sourceLocation)
    }

    /// Checks that no signal ended the command and that it printed no backtrace.
    func expectNoCrash(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(signal == nil, sourceLocation: sourceLocation)
        for trace in ["Fatal error", "Backtrace", "💣", "*** ", "Crash:"] {
            #expect(!errors.contains(trace), sourceLocation: sourceLocation)
        }
    }
}
