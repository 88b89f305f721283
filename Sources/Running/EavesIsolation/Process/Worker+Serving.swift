// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
@_spi(Generated) import EavesInterface
import EavesManifest
import EavesSystem
import Synchronization

// One process of a module: its start, until it serves, and its work, until it ends.
extension Worker {
    /// Runs one process to its end.
    ///
    /// - Parameter spare: The one that was started already; `nil` for none.
    /// - Returns: The process, if it could be started, and the error of its unanswered calls.
    func serve(
        _ spare: Result<StartedProgram, SystemError>?, _ startLimit: Duration
    ) -> (WorkerProcess?, RemoteCallError) {
        let process: WorkerProcess
        do throws(SystemError) {
            let program =
                if let spare { try spare.get() } else { try StartedProgram(request.permissions) }
            process = try WorkerProcess(
                program, request, files, lending: lent, limits: limits, startLimit: startLimit,
                log: observer.log)
        } catch {
            let error = RemoteCallError(module: request.id, reason: .notStarted("\(error)"))
            failWaiting(error)
            return (nil, error)
        }
        let isOver = state.withLock { state in
            state.process = process
            if case .ended = state.phase { return true }
            return false
        }
        if isOver { process.end() }
        process.peer.callOther(
            WorkerFunction.begin.rawValue, WireWriter(), within: startLimit
        ) { [self] answer in
            hasBegun(process, answer, startLimit)
        }
        let error = process.receive()
        // Callers that wait have waited for this process.
        failWaiting(error)
        return (process, error)
    }

    /// Takes the worker's first answer, on the thread that receives.
    private func hasBegun(
        _ process: WorkerProcess, _ answer: Result<WireReader, any Error>, _ limit: Duration
    ) {
        do {
            let report = try answer.get().read(WorkerReport.self)
            guard report.unenforced.isEmpty || request.allowsUnenforced else {
                first.set(.failure(.unenforced(report.unenforced)))
                return process.kill(because: report.unenforced.joined(separator: "; "))
            }
            let starts = state.withLock { $0.isStarted } && report.hasLifecycle
            guard starts else {
                serves(process)
                return first.set(.success(report))
            }
            process.peer.callOther(
                WorkerFunction.start.rawValue, WireWriter(), within: limit
            ) { [self] answer in
                switch answer {
                case .success: serves(process)
                case .failure(let error): refuse(process, error)
                }
            }
        } catch {
            refuse(process, error)
        }
    }

    private func refuse(_ process: WorkerProcess, _ error: any Error) {
        // If the process has ended, that says more.
        switch (error as? RemoteCallError)?.reason {
        case .failed(_, let description):
            first.set(.failure(.refused(description)))
            process.kill(because: description)
        case .late(let limit):
            first.set(.failure(.late(limit)))
            process.kill(because: "it did not register within \(limit)")
        default:
            process.kill()
        }
    }

    private func serves(_ process: WorkerProcess) {
        let waiting = state.withLock { state in
            guard case .starting = state.phase else {
                return [] as [@Sendable (Result<CallPeer, any Error>) -> Void]
            }
            state.phase = .serving(process.peer)
            state.hasServed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for wake in waiting { wake(.success(process.peer)) }
    }

    func failWaiting(_ error: RemoteCallError) {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for wake in waiting { wake(.failure(error)) }
    }
}
