// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import JSON

/// A question from the extension to its native messaging host.
package struct HostQuestion: Sendable, Equatable {
    package enum Wish: Sendable, Equatable {
        /// Asks for the addresses for which the extension must request headers.
        case hello
        /// Asks for the headers for an address that the browser is about to open.
        case headers(url: String)
        /// States that the extension is ready: from now on, pages open signed in.
        case ready
    }

    /// The number that the extension gave to the question.
    package let id: Int
    package let wish: Wish

    private static let limits = JSONLimits(
        bytes: NativeMessageReader.maximumRequest, depth: 2, values: 8, stringBytes: maximumURL)
    private static let maximumURL = 8192

    /// Reads a message.
    ///
    /// - Throws: ``HostRefusal``, with the number if the message has one.
    package init(_ message: [UInt8]) throws(HostRefusal) {
        guard let members = (try? JSONReader.read(message, limits: Self.limits))?.object else {
            throw HostRefusal(.malformed, of: nil)
        }
        guard let id = members["id"]?.integer, id >= 0 else { throw HostRefusal(.malformed, of: nil) }
        self.id = id
        switch (members["ask"]?.string, members["url"]?.string, members.count) {
        case ("hello"?, nil, 2): wish = .hello
        case ("ready"?, nil, 2): wish = .ready
        case ("headers"?, let url?, 3): wish = .headers(url: url)
        default: throw HostRefusal(.malformed, of: id)
        }
    }
}

/// Why the host does not answer a question: a stable code, a cause and a remedy. It names no user and no address.
package struct HostRefusal: Error, Sendable, Equatable {
    package enum Reason: String, Sendable, CaseIterable {
        case malformed = "message_malformed"
        case tooLong = "message_too_long"
        case tooMany = "too_many_questions"
        case unreachable = "broker_unreachable"
        case answer = "broker_answer"
        /// The broker refused for a reason without a code of its own.
        case broker = "broker_refused"
    }

    /// The number of the question; nil if it is unknown.
    package let id: Int?
    package let reason: String
    package let text: String
    /// The broker's code, if the broker refused.
    package let code: Int?

    package init(_ reason: Reason, of id: Int?) {
        (self.id, self.reason, text, code) = (id, reason.rawValue, reason.text, nil)
    }

    init(_ error: BrokerError, of id: Int) {
        self.id = id
        (reason, text, code) = (error.reason?.rawValue ?? Reason.broker.rawValue, error.message, error.code.rawValue)
    }
}

extension HostRefusal.Reason {
    package var text: String {
        switch self {
        case .malformed:
            "The message is not a request that the host knows. Update the extension and baton-browser-host together."
        case .tooLong: "The message is longer than \(NativeMessageReader.maximumRequest) bytes. Send a shorter one."
        case .tooMany: "Too many requests are open. Wait for answers."
        case .unreachable: "The broker's socket cannot be reached. Start batond, or name its socket with --socket."
        case .answer: "The broker's answer cannot be read. Update batond and baton-browser-host together."
        case .broker: "The broker refused. Run baton doctor."
        }
    }
}

/// The host's answer.
package enum HostAnswer: Sendable, Equatable {
    case hello(addresses: [String], removesPrompts: Bool)
    case headers([Header])
    /// The agent was told that the extension is ready.
    case noted

    /// A header that the browser adds to one request.
    package struct Header: Sendable, Equatable {
        package let name: String
        package let value: String

        package init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    /// Returns the message to the extension with the outcome of the question `id`.
    package static func message(_ outcome: Result<HostAnswer, HostRefusal>, to id: Int?) -> [UInt8] {
        var members: [String: JSONValue] = [:]
        members["id"] = id.map(JSONValue.integer)
        switch outcome {
        case .success(.hello(let addresses, let removesPrompts)):
            members["addresses"] = .array(addresses.map(JSONValue.string))
            members["removesPrompts"] = .bool(removesPrompts)
        case .success(.headers(let headers)):
            members["headers"] = .array(
                headers.map { .object(["name": .string($0.name), "value": .string($0.value)]) })
        case .success(.noted): break
        case .failure(let refusal):
            var error: [String: JSONValue] = ["reason": .string(refusal.reason), "text": .string(refusal.text)]
            error["code"] = refusal.code.map(JSONValue.integer)
            members["error"] = .object(error)
        }
        return JSONWriter.write(.object(members))
    }
}
