// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative
import Synchronization

/// The accounts of modules' calls, for the container and its children: those of the modules that a host judges, and
/// those of the others, to compare with when one of them is exchanged.
package final class CallAccounts: Sendable {
    /// Leads from a module's registrations to the account of its calls.
    final class Book: Sendable {
        // SAFETY: the accounts keep it as long as a call may be under way that has found it here.
        fileprivate let account = Atomic<Unmanaged<CallAccount>?>(nil)

        /// The account; `nil` if the calls are not noted. Valid until the call ends that asks for it.
        var current: Unmanaged<CallAccount>? { account.load(ordering: .acquiring) }
    }

    private struct Accounts {
        var judged: [String: CallAccount] = [:]
        /// The accounts of the generations that serve, or to which the host would go back.
        var usual: [String: CallAccount] = [:]
        var keepsUsual = false
        var books: [String: Book] = [:]
        /// The accounts to which calls may still be noted that began before an epoch.
        var former: [(accounts: [CallAccount], epoch: UInt64)] = []

        var all: [CallAccount] { Array(judged.values) + usual.values }

        mutating func account(of module: String) -> CallAccount? {
            if let account = judged[module] ?? usual[module] { return account }
            guard keepsUsual else { return nil }
            let account = CallAccount()
            usual[module] = account
            return account
        }

        mutating func write(_ book: Book, of module: String) {
            // SAFETY: `change` keeps an account that books have lost until no call can have it.
            book.account.store(
                account(of: module).map(Unmanaged.passUnretained), ordering: .releasing)
        }
    }

    private let accounts = Guarded(Accounts())
    private let notes: CallNotes

    init(_ notes: CallNotes) { self.notes = notes }

    package var isOn: Bool { notes.have(.accounts) }

    /// The account of a module's calls; `nil` if no calls are measured.
    package subscript(module: String?) -> CallAccount? {
        guard isOn, let module else { return nil }
        return accounts.withLock { $0.account(of: module) }
    }

    /// The book of a module, from now on.
    func book(of module: String) -> Book {
        accounts.withLock { accounts in
            if let book = accounts.books[module] { return book }
            let book = Book()
            accounts.books[module] = book
            accounts.write(book, of: module)
            return book
        }
    }

    /// Sets which modules are judged.
    ///
    /// - Parameters:
    ///   - isSharing: Whether modules share calls, with accounts of their own.
    ///   - keepsUsual: Whether the calls of all other modules are noted, too.
    package func set(
        _ judged: [String: CallAccount], sharing isSharing: Bool, keepingUsual keepsUsual: Bool
    ) {
        change { accounts in
            accounts.judged = judged
            accounts.keepsUsual = keepsUsual
            if !keepsUsual { accounts.usual = [:] }
        }
        notes.set(.accounts, isSharing || keepsUsual || !judged.isEmpty)
    }

    /// The calls of a module that were noted before it was judged; `nil` if there were none.
    package func usualCalls(of module: String) -> CallTally? {
        guard let account = accounts.withLock({ $0.usual[module] }) else { return nil }
        let tally = account.tally(hangingAfter: account.tally.longest)
        return tally.calls + tally.open > 0 ? tally : nil
    }

    /// Forgets the calls of a module: another generation of it is the usual one from now on.
    package func forgetUsual(_ module: String) { change { $0.usual[module] = nil } }

    private func change(_ body: (inout Accounts) -> Void) {
        accounts.withLock { accounts in
            var former = accounts.all
            body(&accounts)
            for (module, book) in accounts.books { accounts.write(book, of: module) }
            let all = accounts.all
            former.removeAll { account in all.contains { $0 === account } }
            if !former.isEmpty { accounts.former.append((former, eaves_epoch_advance())) }
            guard !accounts.former.isEmpty else { return }
            let oldest = notes.epochs.oldest(since: 0).call
            accounts.former.removeAll { $0.epoch <= oldest }
        }
    }
}

/// The reasons for which a container, its parents and its children take note of calls.
///
/// Safe from any thread.
final class CallNotes: Sendable {
    enum Reason: UInt8 {
        /// A module may have a gate.
        case gates = 1
        /// Modules may be exchanged.
        case exchanges = 2
        /// Calls of modules are measured.
        case accounts = 4
    }

    private let reasons = Atomic<UInt8>(0)
    /// The calls that began, and are under way.
    let epochs = CallEpochs()

    /// Whether calls need no bookkeeping.
    var areEmpty: Bool { reasons.load(ordering: .relaxed) == 0 }

    func have(_ reason: Reason) -> Bool { reasons.load(ordering: .relaxed) & reason.rawValue != 0 }

    func set(_ reason: Reason, _ isThere: Bool) {
        if isThere {
            reasons.bitwiseOr(reason.rawValue, ordering: .relaxed)
        } else {
            reasons.bitwiseAnd(~reason.rawValue, ordering: .relaxed)
        }
    }
}
