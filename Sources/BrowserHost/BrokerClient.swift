// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import JSON

/// Passes the extension's questions to the broker. Each question has a connection of its own, because a connection
/// belongs to one epoch.
///
/// Calls block for a few seconds at most.
package struct BrokerClient: Sendable {
    private let broker: BrokerExchange

    /// - Parameters:
    ///   - socket: the path of the broker's socket.
    ///   - version: this program's version.
    package init(socket: String, version: String) {
        broker = BrokerExchange(socket: socket, name: "baton-browser-host", version: version)
    }

    /// Answers a question from the extension.
    ///
    /// - Throws: ``HostRefusal``.
    package func answer(_ question: HostQuestion) throws(HostRefusal) -> HostAnswer {
        switch question.wish {
        case .hello:
            let entries = try ask(.browserAddresses, FlatMap(), of: question.id)
            guard let addresses = Self.texts(entries[.browserAddresses]) else {
                throw HostRefusal(.answer, of: question.id)
            }
            return .hello(addresses: addresses, removesPrompts: entries.flag(.removesPrompts, default: false))
        case .headers(let url):
            let payload = JSONWriter.text(
                .object(["method": .string("GetCookies"), "sender": .string(url), "uri": .string(url)]))
            let entries = try ask(.browserNativeMessage, FlatMap([Key.payload: payload]), of: question.id)
            guard let headers = Self.headers(entries[.payload]) else { throw HostRefusal(.answer, of: question.id) }
            return .headers(headers)
        case .ready: return .noted
        }
    }

    private func ask(_ operation: Operation, _ entries: FlatMap, of id: Int) throws(HostRefusal) -> FlatMap {
        let outcome: Result<FlatMap, BrokerError>
        do { outcome = try broker.ask(operation, entries) } catch {
            throw HostRefusal(error is EnvelopeFailure ? .answer : .unreachable, of: id)
        }
        switch outcome {
        case .success(let entries): return entries
        case .failure(let error): throw HostRefusal(error, of: id)
        }
    }

    // MARK: - The broker's answers

    private static func value(_ text: String?) -> JSONValue? {
        text.flatMap { try? JSONReader.read(Array($0.utf8), limits: Wire.nestedLimits) }
    }

    private static func texts(_ text: String?) -> [String]? {
        guard let elements = value(text)?.array else { return nil }
        let texts = elements.compactMap(\.string)
        return texts.count == elements.count ? texts : nil
    }

    private static func headers(_ text: String?) -> [HostAnswer.Header]? {
        guard let elements = value(text)?.object?["response"]?.array else { return nil }
        let headers = elements.compactMap { element -> HostAnswer.Header? in
            guard let name = element.object?["name"]?.string, let value = element.object?["data"]?.string else {
                return nil
            }
            return HostAnswer.Header(name: name, value: value)
        }
        return headers.count == elements.count ? headers : nil
    }
}
