// SPDX-License-Identifier: Apache-2.0
// The part of Dispatch's Swift interface that scripts/check/objc-face needs on Linux: names and types, no behaviour.
@_exported import Dispatch

private func nothing() -> Never { fatalError("This module is for type-checking only.") }

public enum DispatchTimeInterval: Sendable {
    case seconds(Int)
    case milliseconds(Int)
    case nanoseconds(Int)
}

public struct DispatchTime: Sendable {
    public static let distantFuture = now()
    public static func now() -> DispatchTime { nothing() }
    public static func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { nothing() }
    public static func + (time: DispatchTime, seconds: Double) -> DispatchTime { nothing() }
}

public enum DispatchTimeoutResult: Sendable { case success, timedOut }

public final class DispatchSemaphore: Sendable {
    public init(value: Int) { nothing() }
    public func wait() { nothing() }
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { nothing() }
    @discardableResult public func signal() -> Int { nothing() }
}

public final class DispatchWorkItem: Sendable {
    public init(block: @escaping @Sendable () -> Void) { nothing() }
    public func cancel() { nothing() }
}

extension DispatchQueue: @unchecked Sendable {
    public class var main: DispatchQueue { nothing() }
    public class func global() -> DispatchQueue { nothing() }
    public convenience init(label: String) { nothing() }
    public func async(execute work: @escaping @Sendable () -> Void) { nothing() }
    public func asyncAfter(deadline: DispatchTime, execute work: @escaping @Sendable () -> Void) { nothing() }
    public func asyncAfter(deadline: DispatchTime, execute work: DispatchWorkItem) { nothing() }
    public func sync<Value>(execute work: () throws -> Value) rethrows -> Value { nothing() }
}
