// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// A message from an app to the broker.
package enum ClientMessage: Sendable, Equatable {
    case hello(ClientHello)
    case request(Request)
    /// Cancels the request with this id. The request still gets its one reply.
    case cancel(String)
}

/// The first message on a connection.
package struct ClientHello: Sendable, Equatable {
    package let transports: ClosedRange<Int>
    package let clientName: String
    package let clientVersion: String
    /// The ended epoch that this connection acknowledges. If it is set, the connection can do nothing else.
    package let endedEpoch: Epoch?
    /// Whether the app accepts ``BrokerEvent``s.
    package let wantsEvents: Bool

    package init(
        transports: ClosedRange<Int> = Wire.transport...Wire.transport, clientName: String, clientVersion: String,
        endedEpoch: Epoch? = nil, wantsEvents: Bool = false
    ) {
        self.transports = transports
        self.clientName = clientName
        self.clientVersion = clientVersion
        self.endedEpoch = endedEpoch
        self.wantsEvents = wantsEvents
    }
}

/// One operation with its parameters. It gets exactly one reply.
package struct Request: Sendable, Equatable {
    /// A UUID chosen by the client.
    package let id: String
    package let operation: Operation
    package var parameters: FlatMap
    /// Whether the broker must not show anything to the user.
    package let isSilent: Bool
    /// Why the request must be refused, if the envelope alone shows that it must be.
    package private(set) var refusal: BrokerError?

    package init(id: String, operation: Operation, parameters: FlatMap, isSilent: Bool) {
        self.id = id
        self.operation = operation
        self.parameters = parameters
        self.isSilent = isSilent
    }
}

extension ClientMessage {
    package var bytes: [UInt8] {
        switch self {
        case .hello(let hello): JSONWriter.write(.object([Wire.Member.hello: .object(hello.members)]))
        case .request(let request): request.bytes
        case .cancel(let id): JSONWriter.write(.object([Wire.Member.cancel: .string(id)]))
        }
    }

    /// Parses a frame's body.
    ///
    /// - Throws: ``EnvelopeFailure``.
    package init(bytes: [UInt8]) throws(EnvelopeFailure) {
        let envelope = try Envelope(bytes, map: Wire.Member.parameters)
        if let hello = envelope[Wire.Member.hello]?.object {
            self = .hello(try ClientHello(members: hello))
        } else if let id = envelope[Wire.Member.cancel]?.string {
            self = .cancel(id)
        } else {
            self = .request(try Request(envelope))
        }
    }
}

extension ClientHello {
    fileprivate var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            Wire.Member.transportMinimum: .integer(transports.lowerBound),
            Wire.Member.transportMaximum: .integer(transports.upperBound),
            Wire.Member.clientName: .string(clientName), Wire.Member.clientVersion: .string(clientVersion),
        ]
        members[Wire.Member.endedEpoch] = endedEpoch.map { .string($0.description) }
        if wantsEvents { members[Wire.Member.events] = .bool(true) }
        return members
    }

    init(members: [String: JSONValue]) throws(EnvelopeFailure) {
        guard let lowest = members[Wire.Member.transportMinimum]?.integer,
            let highest = members[Wire.Member.transportMaximum]?.integer, lowest <= highest
        else { throw .shape }
        let ended = members[Wire.Member.endedEpoch]
        let endedEpoch = ended?.string.flatMap { Epoch($0) }
        guard (ended == nil) == (endedEpoch == nil) else { throw .shape }
        self.init(
            transports: lowest...highest,
            clientName: members[Wire.Member.clientName]?.string ?? "",
            clientVersion: members[Wire.Member.clientVersion]?.string ?? "", endedEpoch: endedEpoch,
            wantsEvents: members[Wire.Member.events]?.bool ?? false)
    }
}

extension Request {
    /// The members sorted by name.
    fileprivate var bytes: [UInt8] {
        var writer = JSONWriter(byteCount: parameters.envelopeByteCount)
        writer.beginObject()
        writer.append(name: Wire.Member.isSilent)
        writer.append(isSilent)
        writer.append(name: Wire.Member.requestID)
        writer.append(id)
        writer.append(name: Wire.Member.operation)
        writer.append(operation.rawValue)
        parameters.write(as: Wire.Member.parameters, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    fileprivate init(_ envelope: Envelope) throws(EnvelopeFailure) {
        guard let id = envelope[Wire.Member.requestID]?.string, !id.isEmpty, id.utf8.count <= 64,
            let operation = envelope[Wire.Member.operation]?.string, let parameters = envelope.map
        else { throw .shape }
        let isSilent = envelope[Wire.Member.isSilent]
        self.init(
            id: id, operation: Operation(rawValue: operation), parameters: parameters, isSilent: isSilent?.bool ?? false
        )
        guard let isSilent, isSilent.bool == nil else { return }
        refusal = BrokerError(
            .developerParameter, "\(Wire.Member.isSilent) is neither true nor false. Send one of them.")
    }
}
