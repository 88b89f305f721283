// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import ReadingAPI

/// The services of the cases: a chain of four, in which each one needs the next.
protocol First: Sendable { var value: Int { get } }
protocol Second: Sendable { var value: Int { get } }
protocol Third: Sendable { var value: Int { get } }
protocol Fourth: Sendable { var value: Int { get } }

final class FirstObject: First {
    let second: any Second
    var value: Int { second.value }
    init(_ second: any Second) { self.second = second }
}

final class SecondObject: Second {
    let third: any Third
    var value: Int { third.value }
    init(_ third: any Third) { self.third = third }
}

final class ThirdObject: Third {
    let fourth: any Fourth
    var value: Int { fourth.value }
    init(_ fourth: any Fourth) { self.fourth = fourth }
}

final class FourthObject: Fourth {
    let value: Int
    init(_ value: Int) { self.value = value }
}

/// A service of an interface module, which a module can resolve.
final class QuietReading: Reading {
    let isInteractive = true
}

/// A service of the interface, which a module can resolve.
final class QuietConsole: Console {
    let isInteractive = true
    func readLine() -> String? { nil }
    func write(_ text: String) {}
    func warn(_ text: String) {}
}
