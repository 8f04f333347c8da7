// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol

extension AppEraser: ExpressibleByStringLiteral {
    /// Makes an eraser from its bundle id and, after a colon, its name.
    public init(stringLiteral value: String) {
        guard let eraser = AppEraser(rawValue: value) else { preconditionFailure("\(value) is no eraser") }
        self = eraser
    }
}
