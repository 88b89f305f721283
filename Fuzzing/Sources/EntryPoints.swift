// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CFuzzer

/// Called by libFuzzer with each input.
@c(LLVMFuzzerTestOneInput)
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    // SAFETY: libFuzzer passes `size` bytes at `data`, which may be NULL for none.
    FuzzTarget.chosen.check(Array(UnsafeBufferPointer(start: data, count: size)))
    return 0
}

/// Called by libFuzzer to make a new input out of another: half of the time as the structure of an
/// ELF file suggests, if it is one, else as libFuzzer does it by itself.
@c(LLVMFuzzerCustomMutator)
public func mutate(
    _ data: UnsafeMutablePointer<UInt8>?, _ size: Int, _ room: Int, _ seed: UInt32
) -> Int {
    var random = SplitMix64(state: UInt64(seed))
    // SAFETY: libFuzzer passes `size` bytes at `data`, which it keeps during the call.
    let bytes = UnsafeMutableBufferPointer(start: data, count: size)
    if FuzzTarget.chosen == .module, Bool.random(using: &random),
        ELFMutation.apply(to: bytes, &random)
    {
        return size
    }
    return LLVMFuzzerMutate(data, size, room)
}
