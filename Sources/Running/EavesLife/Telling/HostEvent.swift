// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesCatalog
public import EavesDiagnostics
public import EavesInterface
package import EavesLoader
import Synchronization

/// A step of a host's work, told while it happens, on the thread that does the work.
///
/// Later versions may add cases: give a `switch` over them a `default`.
public enum HostEvent: Sendable {
    /// Modules are being compiled. Told when a compilation begins, and at least four times a second.
    case building(BuildStatus)
    /// The compiler printed lines about a module: warnings, or what is wrong.
    case compilerPrinted(CatalogEntry, String)
    /// The sources of a module changed while they were compiled, so it is compiled again.
    case restarted(CatalogEntry)
    /// A module was compiled, in this time.
    case built(CatalogEntry, Duration)
    /// A module is about to be loaded. None of its code has run.
    case loading(CatalogEntry)
    /// A module has been loaded and has registered, in this time.
    case loaded(CatalogEntry, Duration)
    /// A module was asked for, and the host did not load it. Told once for each module.
    case refused(CatalogEntry, HostError)
    /// A module crashed: in a verification, or in an earlier process that recorded crashes. The process
    /// in which a module crashes ends, and cannot tell it.
    case crashed(Crash)
    /// Something is wrong, and the host can go on.
    case warned(Diagnostic)
    /// A module logged a message, or a factory of the program itself.
    case logged(LogEntry)
    /// The host took on a change of the disk, or could not.
    case changed(HostChange)
}

extension HostEvent {
    /// One crash of a module.
    public struct Crash: Hashable, Sendable {
        /// The module's id.
        public let module: String
        /// The module's file, as messages show it.
        public let path: String
        /// The act of the module, such as `SIGSEGV`.
        public let reason: String
        /// The number of the generation whose code crashed; `nil` if the host had only one of this module.
        public let generation: Int?
        /// The name of the feature that was being launched; `nil` if none was.
        public let feature: String?

        package init(
            module: String, path: String, reason: String, generation: Int? = nil,
            feature: String? = nil
        ) {
            self.module = module
            self.path = path
            self.reason = reason
            self.generation = generation
            self.feature = feature
        }
    }

    /// A message that a module logged.
    public struct LogEntry: Hashable, Sendable {
        /// The id of the module; `nil` for a factory of the program itself.
        public let module: String?
        /// The importance of the message.
        public let level: LogLevel
        /// The message.
        public let text: String

        package init(module: String?, level: LogLevel, text: String) {
            self.module = module
            self.level = level
            self.text = text
        }
    }
}

/// The functions that are told of a host's work.
///
/// Safe from any thread. No lock is held while one of them runs.
package final class HostObservers: Sendable {
    package typealias Observer = @Sendable (HostEvent) -> Void

    private struct State {
        var observers: [Observer] = []
        var refused: Set<String> = []
        var loaded: [String] = []
    }

    private let state = Mutex(State())
    private let hasAny = Atomic(false)
    private let beforeLoading: @Sendable (CatalogEntry, PrivateCopy) -> Void

    /// - Parameter beforeLoading: A function that is called with a module that is about to be loaded, and the private copy that the dynamic
    ///   linker gets, before the observers are told.
    package init(
        beforeLoading: @escaping @Sendable (CatalogEntry, PrivateCopy) -> Void = { _, _ in }
    ) {
        self.beforeLoading = beforeLoading
    }

    package var loaded: [String] { state.withLock { $0.loaded } }

    /// - Parameter observer: A function that is called with each event from now on, on the thread that does the work.
    package func add(_ observer: @escaping Observer) {
        state.withLock { $0.observers.append(observer) }
        hasAny.store(true, ordering: .relaxed)
    }

    package func tell(_ event: @autoclosure () -> HostEvent) {
        guard hasAny.load(ordering: .relaxed) else { return }
        let event = event()
        for observer in state.withLock({ $0.observers }) { observer(event) }
    }

    /// Calls the function that is to run before a module is loaded, and tells the observers.
    package func tellLoading(_ entry: CatalogEntry, from copy: PrivateCopy) {
        beforeLoading(entry, copy)
        tell(.loading(entry))
    }

    package func tellLoaded(_ entry: CatalogEntry, in duration: Duration) {
        state.withLock { $0.loaded.append(entry.id) }
        tell(.loaded(entry, duration))
    }

    package func warn(_ diagnostic: Diagnostic) { tell(.warned(diagnostic)) }

    /// - Parameter module: The id of the module that logged the message; `nil` for a factory of the program itself.
    package func log(_ module: String?, _ message: LogMessage) {
        tell(.logged(HostEvent.LogEntry(module: module, level: message.level, text: message.text)))
    }

    /// Runs a step that may load modules, and tells of those that are refused.
    package func telling<Result>(_ step: () throws -> Result) throws -> Result {
        do {
            return try step()
        } catch {
            if hasAny.load(ordering: .relaxed) { tellRefusals(error) }
            throw error
        }
    }

    private func tellRefusals(_ error: any Error) {
        switch error {
        case let error as ModuleError:
            tellRefusal(error.entry, error)
        case let error as ProviderError:
            for entry in error.unusable where entry.isEnabled {
                tellRefusal(entry, UnusableModuleError(entry: entry))
            }
        case let error as PlanError:
            error.problems.forEach(tellRefusals)
        default:
            break
        }
    }

    private func tellRefusal(_ entry: CatalogEntry, _ error: any Error) {
        guard state.withLock({ $0.refused.insert(entry.id).inserted }) else { return }
        tell(.refused(entry, HostError(error)))
    }
}
