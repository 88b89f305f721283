// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Notices that the other end has begun a message and does not go on with it, so that its callers would wait for ever.
/// A value of one thread that receives.
struct Stall {
    /// The longest pause of the other end within a message; `nil` for no limit.
    private let limit: Duration?
    /// The last piece of a message that has begun; 0 for none.
    private var piece = 0
    /// Whether half of the time is over. Where both ends were stopped together, all of it seems to be over as soon as they go
    /// on, and the other one has to have its turn.
    private var isSuspected = false
    /// When to look again; `nil` if no message has begun.
    private(set) var deadline: ContinuousClock.Instant?

    init(limit: Duration?) { self.limit = limit }

    /// Notes the piece that came last.
    mutating func note(_ piece: Int) {
        guard let limit, piece != self.piece else { return }
        self.piece = piece
        isSuspected = false
        deadline = piece == 0 ? nil : .now + limit / 2
    }

    /// Whether the other end has paused for too long, if nothing has come until ``deadline``.
    mutating func isOver() -> Bool {
        guard let limit, let deadline, deadline <= .now else { return false }
        if isSuspected { return true }
        isSuspected = true
        self.deadline = .now + limit / 2
        return false
    }
}
