// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The values that a host tells: its events, generations and errors. Programs import `EavesHost` alone.
@_exported public import EavesLife
