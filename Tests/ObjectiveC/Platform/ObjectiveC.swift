// SPDX-License-Identifier: Apache-2.0
// The part of the Objective-C runtime's Swift interface that scripts/check/objc-face needs on Linux.
@_exported import ObjectiveC

private func nothing() -> Never { fatalError("This module is for type-checking only.") }

public struct NSZone {}

extension NSObject: Hashable {
    public static func == (left: NSObject, right: NSObject) -> Bool { nothing() }
    public var hashValue: Int { nothing() }
    public func hash(into hasher: inout Hasher) { nothing() }
}
