// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What the cases resolve: a chain of four, so that each needs the next.
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
