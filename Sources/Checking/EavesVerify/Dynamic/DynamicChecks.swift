// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesRules

/// The table of all checks that run the module's code, in the order in which they run.
///
/// A new check is a row here and a method of ``ProbedModule`` in one of the files next to this one.
enum DynamicChecks {
    static let all: [DynamicCheck] = [
        DynamicCheck(
            "loads", "its code can be loaded, and its constructors return",
            // No code of a module runs before everything is known that can be known without that.
            presupposes: BinaryRules.all.map(\.id), isForInterfaces: true,
            .call(ProbedModule.checkLoads)),
        DynamicCheck(
            "registers", "its entry point registers and reports success",
            presupposes: ["loads"],
            .call(ProbedModule.checkRegisters)),
        DynamicCheck(
            "declaration", "it registers what it declares, no more and no less, and nothing twice",
            presupposes: ["registers"],
            .call(ProbedModule.checkDeclaration)),
        DynamicCheck(
            "quick-registration",
            "loading and registering take no longer than a quarter of a second each",
            presupposes: ["registers"], isMeasurement: true,
            .call(ProbedModule.checkNothing), judgement: { $0.judgeTime() }, witness: .outside),
        DynamicCheck(
            "quiet-registration", "it prints nothing while it is loaded and registers",
            presupposes: ["registers"],
            .call(ProbedModule.checkNothing), judgement: { $0.judgeOutput() }, witness: .outside),
        DynamicCheck(
            "no-threads", "it starts no thread and no process while it is loaded and registers",
            presupposes: ["registers"],
            .call(ProbedModule.checkNothing), judgement: { $0.judgeThreads() }, witness: .outside),
        DynamicCheck(
            "no-descriptors",
            "it leaves no file open after it has registered, and closes none that it did not open",
            presupposes: ["registers"],
            .call(ProbedModule.checkNothing), judgement: { $0.judgeDescriptors() },
            witness: .outside),
        DynamicCheck(
            "process-state",
            "it changes no signal handler, locale, directory, umask or environment",
            presupposes: ["registers"],
            .call(ProbedModule.checkProcessState), judgement: { $0.judgeState() }),
        DynamicCheck(
            "services-created", "every service that it provides can be created",
            presupposes: ["declaration"],
            .call(ProbedModule.checkServicesCreated)),
        DynamicCheck(
            "services-dropped", "every service that was created can be released, and is gone then",
            presupposes: ["services-created"],
            .call(ProbedModule.checkServicesDropped)),
        DynamicCheck(
            "registers-twice", "it registers the same again in a second host",
            presupposes: ["declaration"], isWhatHostsDo: false,
            .call(ProbedModule.checkRegistersTwice)),
        DynamicCheck(
            "ends", "the host can exit: the module's destructors and exit handlers return",
            presupposes: ["registers"],
            .exit, witness: .outside),
        DynamicCheck(
            "refused-registration", "it survives a host that refuses everything it registers",
            presupposes: ["registers"], stage: .unsuitableHost, isWhatHostsDo: false,
            .call(ProbedModule.checkRefusedRegistration)),
        DynamicCheck(
            "unknown-abi", "it survives a host of another ABI version: it registers, or refuses",
            presupposes: ["registers"], stage: .unsuitableHost, isWhatHostsDo: false,
            .call(ProbedModule.checkUnknownABI)),
        DynamicCheck(
            "later-host", "it also registers in a later host, whose table of functions has grown",
            presupposes: ["declaration"], stage: .laterHost, isWhatHostsDo: false,
            .call(ProbedModule.checkLaterHost)),
        DynamicCheck(
            "features-help", "each feature prints something for '--help' and ends with 0 or 64",
            presupposes: ["declaration"], stage: .feature,
            .launch(ProbedModule.checkHelp)),
    ]
}
