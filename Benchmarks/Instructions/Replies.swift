// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import JSON

/// A worker's token and account as a broker sends them.
struct Replies: Sendable {
    static let tenant = "11111111-2222-3333-4444-555555555555"
    static let authority = "https://login.baton.test:8443/\(tenant)"
    static let client = "0f7ad4b6-6f7c-4e6b-9c53-6e5a7a7f8f10"
    static let redirectURI = "msauth.org.example.worker://auth"
    static let scope = "https://graph.baton.test/User.Read"
    static let worker = "aaaaaaaa-0000-0000-0000-000000000001"

    let epoch: Epoch
    private let token: FlatMap
    private let account: FlatMap

    init() throws {
        guard let id = Epoch.ID(String(repeating: "0a", count: 16)) else { throw Unexpected() }
        epoch = Epoch(id: id, counter: 7)
        let claims: [String: JSONValue] = [
            "aud": .string(Self.client), "iss": .string(Self.authority + "/v2.0"), "iat": .integer(1_790_000_000),
            "exp": .integer(1_790_003_600), "name": .string("Amara Okafor"), "oid": .string(Self.worker),
            "preferred_username": .string("amara@contoso.baton.test"),
            "sub": .string(String(repeating: "s", count: 43)),
            "tid": .string(Self.tenant), "uti": .string(String(repeating: "u", count: 22)), "ver": .string("2.0"),
        ]
        let device = DeviceInfo(
            mode: .shared, reason: "configured", brokerVersion: "1",
            registration: DeviceInfo.Registration(
                deviceID: Self.worker, tenantID: Self.tenant, cloudHost: "login.baton.test",
                thumbprint: String(repeating: "AB", count: 20)))
        // A server sends {"uid":…,"utid":…} and the claims as base64url.
        let clientInfo = Base64Text.encode(
            JSONWriter.write(.object(["uid": .string(Self.worker), "utid": .string(Self.tenant)])))
        let payload = Base64Text.encode(JSONWriter.write(.object(claims)))
        let signature = String(repeating: "c2ln", count: 85)
        token = .response(
            to: .refresh, type: .token, device: device,
            entries: TokenResponse(
                authority: Self.authority, accessToken: "e30.\(payload)\(payload).\(signature)",
                idToken: "e30.\(payload).\(signature)", scopes: [Self.scope, "openid", "profile", "offline_access"],
                expiresOn: 2_000_000_000, clientInfo: clientInfo
            ).entries)
        let record = AccountRecord(
            homeAccountID: "\(Self.worker).\(Self.tenant)", localAccountID: Self.worker, realm: Self.tenant,
            environment: "login.baton.test", username: "amara@contoso.baton.test", name: "Amara Okafor",
            clientInfo: clientInfo, idTokenClaims: .object(claims))
        account = .response(
            to: .currentAccount, type: .accounts, device: device,
            entries: CurrentAccount(current: record, previousHomeAccountID: record.homeAccountID, epoch: epoch).entries
        )
    }

    /// The answer to an app's message, as the broker encodes it.
    func answer(to message: ClientMessage) throws -> [UInt8] {
        switch message {
        case .hello:
            return BrokerMessage.hello(
                BrokerHello(transport: Wire.transport, brokerVersion: "1", operations: Operation.all, epoch: epoch)
            ).bytes
        case .request(let request):
            let response = request.operation == .refresh ? token : account
            return BrokerMessage.reply(Reply(requestID: request.id, outcome: .success(response))).bytes
        case .cancel: throw Unexpected()
        }
    }

    /// Does the broker's part of a call for a cached token: reads the request and encodes the reply.
    func frames(_ count: Int) throws {
        var request = TokenRequest(
            client: ClientRequest(clientID: Self.client, correlationID: "0AF3C2B1-0000-4000-8000-00000000C0DE"),
            redirectURI: Self.redirectURI, authority: Self.authority, scopes: [Self.scope])
        request.homeAccountID = "\(Self.worker).\(Self.tenant)"
        let bytes = ClientMessage.request(
            Request(
                id: "0AF3C2B1-0000-4000-8000-000000000001", operation: .refresh, parameters: request.entries,
                isSilent: true)
        ).bytes
        for _ in 0..<count {
            let message = try ClientMessage(bytes: bytes)
            guard case .request(let request) = message, try TokenRequest(request.parameters).scopes == [Self.scope],
                try answer(to: message).count > 1000
            else { throw Unexpected() }
        }
    }
}

/// An error that occurs only if the library is broken.
struct Unexpected: Error {}

/// Encodes base64url for the replies.
enum Base64Text {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for place in 0...group.count { text.append(alphabet[Int(bits >> UInt32(18 - 6 * place) & 63)]) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
