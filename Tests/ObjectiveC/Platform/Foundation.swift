// SPDX-License-Identifier: Apache-2.0
// The part of Foundation's Swift interface that scripts/check/objc-face needs on Linux: names and types, no behaviour.
// Nothing here ever runs.
@_exported import Dispatch
@_exported import Foundation

private func nothing() -> Never { fatalError("This module is for type-checking only.") }

// MARK: Bridges between Swift's values and Foundation's classes

public protocol Bridged: _ObjectiveCBridgeable {}
extension Bridged {
    public func _bridgeToObjectiveC() -> _ObjectiveCType { nothing() }
    public static func _forceBridgeFromObjectiveC(_ source: _ObjectiveCType, result: inout Self?) { nothing() }
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: _ObjectiveCType, result: inout Self?
    ) -> Bool { nothing() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: _ObjectiveCType?) -> Self { nothing() }
}

extension String: Bridged { public typealias _ObjectiveCType = NSString }
extension Bool: Bridged { public typealias _ObjectiveCType = NSNumber }
extension Int: Bridged { public typealias _ObjectiveCType = NSNumber }
extension Double: Bridged { public typealias _ObjectiveCType = NSNumber }
extension Array: Bridged { public typealias _ObjectiveCType = NSArray }
extension Dictionary: Bridged { public typealias _ObjectiveCType = NSDictionary }
extension Set: Bridged { public typealias _ObjectiveCType = NSSet }
extension AnyHashable: Bridged { public typealias _ObjectiveCType = NSObject }

public struct URL: Bridged, Hashable, Sendable {
    public typealias _ObjectiveCType = NSURL
    public init?(string: String) { nothing() }
    public var absoluteString: String { nothing() }
    public var scheme: String? { nothing() }
    public var host: String? { nothing() }
    public var port: Int? { nothing() }
    public var path: String { nothing() }
    public var pathComponents: [String] { nothing() }
    public var lastPathComponent: String { nothing() }
    public var query: String? { nothing() }
    public var fragment: String? { nothing() }
}

public struct UUID: Bridged, Hashable, Sendable {
    public typealias _ObjectiveCType = NSUUID
    public typealias Bytes = (
        UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
    )
    public init(uuid: Bytes) { nothing() }
    public var uuid: Bytes { nothing() }
    public init() { nothing() }
    public init?(uuidString: String) { nothing() }
    public var uuidString: String { nothing() }
}

public struct Date: Bridged, Hashable, Comparable, Sendable {
    public typealias _ObjectiveCType = NSDate
    public init() { nothing() }
    public init(timeIntervalSince1970: Double) { nothing() }
    public var timeIntervalSince1970: Double { nothing() }
    public static func < (left: Date, right: Date) -> Bool { nothing() }
}

// MARK: Errors and numbers

extension NSError: Error, @unchecked Sendable {
    public convenience init(domain: String, code: Int, userInfo: [String: Any]? = nil) { nothing() }
    public var userInfo: [String: Any] { nothing() }
}
public typealias NSErrorPointer = AutoreleasingUnsafeMutablePointer<NSError?>?

extension NSNumber: @unchecked Sendable {
    public convenience init(value: Int) { nothing() }
    public convenience init(value: Bool) { nothing() }
    public convenience init(value: Double) { nothing() }
    public var boolValue: Bool { nothing() }
    public var intValue: Int { nothing() }
    public var doubleValue: Double { nothing() }
}
public final class NSNull: NSObject {}

// MARK: What the library uses inside

public typealias TimeInterval = Double

public struct Data: Hashable, Sendable, RandomAccessCollection {
    public init<Bytes: Sequence>(_ bytes: Bytes) where Bytes.Element == UInt8 { nothing() }
    public init?(base64Encoded: String) { nothing() }
    public func base64EncodedString() -> String { nothing() }
    public var startIndex: Int { nothing() }
    public var endIndex: Int { nothing() }
    public subscript(index: Int) -> UInt8 { nothing() }
}

public struct CharacterSet: Sendable {
    public static let whitespaces = CharacterSet()
    public static let whitespacesAndNewlines = CharacterSet()
}
extension StringProtocol {
    public func trimmingCharacters(in set: CharacterSet) -> String { nothing() }
}

public struct URLQueryItem: Hashable, Sendable {
    public init(name: String, value: String?) { nothing() }
}
public struct URLComponents: Hashable, Sendable {
    public init() { nothing() }
    public init?(string: String) { nothing() }
    public var scheme: String?
    public var host: String?
    public var port: Int?
    public var path: String
    public var queryItems: [URLQueryItem]?
    public var url: URL? { nothing() }
}

public enum JSONSerialization {
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let sortedKeys = WritingOptions(rawValue: 1)
    }
    public static func isValidJSONObject(_ object: Any) -> Bool { nothing() }
    public static func data(withJSONObject object: Any, options: WritingOptions = []) throws -> Data { nothing() }
    public static func jsonObject(with data: Data) throws -> Any { nothing() }
}

public struct Notification: Sendable {
    public struct Name: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { nothing() }
        public init(_ rawValue: String) { nothing() }
    }
}
public final class NotificationCenter: NSObject, Sendable {
    public static let `default` = NotificationCenter()
    public func post(name: Notification.Name, object: Any?) { nothing() }
}

public final class ProcessInfo: NSObject, Sendable {
    public static let processInfo = ProcessInfo()
    public var processName: String { nothing() }
    public var processIdentifier: Int32 { nothing() }
}

public final class Thread: NSObject, @unchecked Sendable {
    public convenience init(block: @escaping @Sendable () -> Void) { nothing() }
    public var name: String?
    public func start() { nothing() }
    public class var isMainThread: Bool { nothing() }
}
