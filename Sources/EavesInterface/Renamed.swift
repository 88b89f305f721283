// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// The former names of two declarations, until every room uses the new ones. Then remove this file.

package typealias BoxedResolutionError = BoxedResolutionError

extension InjectionSource {
    package typealias Builder = RunningFactory
}
