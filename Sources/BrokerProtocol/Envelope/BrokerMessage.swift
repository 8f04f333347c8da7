// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// A message from the broker to an app.
package enum BrokerMessage: Sendable, Equatable {
    case hello(BrokerHello)
    case reply(Reply)
    /// Sent only to an app whose hello asked for events.
    case event(BrokerEvent)
}

/// The broker's answer to a hello.
package struct BrokerHello: Sendable, Equatable {
    package let transport: Int
    package let brokerVersion: String
    package let operations: [Operation]
    /// The events that the broker sends to an app whose hello asked for them.
    package let events: [BrokerEvent.Name]
    /// The epoch of this connection; the connection ends when the epoch ends.
    package let epoch: Epoch

    package init(
        transport: Int, brokerVersion: String, operations: [Operation], events: [BrokerEvent.Name] = [], epoch: Epoch
    ) {
        self.transport = transport
        self.brokerVersion = brokerVersion
        self.operations = operations
        self.events = events
        self.epoch = epoch
    }
}

/// The single reply to a request.
package struct Reply: Sendable, Equatable {
    package let requestID: String
    package let outcome: Result<FlatMap, BrokerError>

    package init(requestID: String, outcome: Result<FlatMap, BrokerError>) {
        self.requestID = requestID
        self.outcome = outcome
    }
}

extension BrokerMessage {
    package var bytes: [UInt8] {
        switch self {
        case .hello(let hello):
            JSONWriter.write(
                .object([
                    Wire.Member.hello: .object([
                        Wire.Member.transport: .integer(hello.transport),
                        Wire.Member.brokerVersion: .string(hello.brokerVersion),
                        Wire.Member.protocolVersion: .string(Wire.messageProtocol),
                        Wire.Member.operations: .array(hello.operations.map { .string($0.rawValue) }),
                        Wire.Member.events: .array(hello.events.map { .string($0.rawValue) }),
                        Wire.Member.maximumFrame: .integer(Wire.maximumFrame),
                        Wire.Member.epoch: .string(hello.epoch.description),
                    ])
                ]))
        case .event(let event): JSONWriter.write(event.json)
        case .reply(let reply):
            switch reply.outcome {
            case .success(let response):
                response.bytes(asResponseTo: reply.requestID)
            case .failure(let error):
                JSONWriter.write(
                    .object([
                        Wire.Member.requestID: .string(reply.requestID), Wire.Member.error: error.json,
                    ]))
            }
        }
    }

    /// Parses a frame's body.
    ///
    /// - Throws: ``EnvelopeFailure``.
    package init(bytes: [UInt8]) throws(EnvelopeFailure) {
        let envelope = try Envelope(bytes, map: Wire.Member.response)
        if let hello = envelope[Wire.Member.hello]?.object {
            self = .hello(try BrokerHello(members: hello))
            return
        }
        if let event = envelope[Wire.Member.event]?.string {
            self = .event(try BrokerEvent(event, envelope))
            return
        }
        guard let id = envelope[Wire.Member.requestID]?.string else { throw .shape }
        switch (envelope.map, envelope[Wire.Member.error]) {
        case (let response?, nil): self = .reply(Reply(requestID: id, outcome: .success(response)))
        case (nil, let error?) where envelope[Wire.Member.response] == nil:
            // An error of another domain affects only its own request, not the other requests on the connection.
            self = .reply(Reply(requestID: id, outcome: .failure(BrokerError(json: error) ?? .unreadableAnswer)))
        default: self = .reply(Reply(requestID: id, outcome: .failure(.unreadableAnswer)))
        }
    }
}

extension FlatMap {
    /// A reply's members sorted by name.
    fileprivate func bytes(asResponseTo requestID: String) -> [UInt8] {
        var writer = JSONWriter(byteCount: envelopeByteCount)
        writer.beginObject()
        write(as: Wire.Member.response, to: &writer)
        writer.append(name: Wire.Member.requestID)
        writer.append(requestID)
        writer.endObject()
        return writer.bytes
    }
}

extension BrokerHello {
    init(members: [String: JSONValue]) throws(EnvelopeFailure) {
        guard let transport = members[Wire.Member.transport]?.integer,
            let epoch = members[Wire.Member.epoch]?.string.flatMap({ Epoch($0) }),
            let operations = members[Wire.Member.operations]?.array
        else { throw .shape }
        self.init(
            transport: transport, brokerVersion: members[Wire.Member.brokerVersion]?.string ?? "",
            operations: operations.compactMap { $0.string.map(Operation.init(rawValue:)) },
            // Older brokers do not list events.
            events: (members[Wire.Member.events]?.array ?? []).compactMap {
                $0.string.map(BrokerEvent.Name.init(rawValue:))
            }, epoch: epoch)
    }
}
