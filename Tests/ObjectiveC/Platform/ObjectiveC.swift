// SPDX-License-Identifier: Apache-2.0
// As much of the Objective-C runtime's Swift side as scripts/check-objc-face needs on Linux.
@_exported import ObjectiveC

public struct NSZone {}
