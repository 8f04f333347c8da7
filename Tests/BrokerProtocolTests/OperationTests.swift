// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import JSON
import Testing

@Suite struct OperationTests {
    private let client = ClientRequest(clientID: "app", correlationID: "0af3c2b1-0000-4000-8000-00000000c0de")

    @Test func `requests are decoded as they were encoded`() throws {
        var token = TokenRequest(
            client: client, redirectURI: "msauth.a://auth", authority: "https://login.example/t", scopes: ["a", "b"])
        token.homeAccountID = "u.t"
        token.username = "amara"
        token.prompt = "login"
        token.claims = "{}"
        token.forceRefresh = true
        token.extraScopesToConsent = ["c"]
        token.clientCapabilities = ["cp1", "cp2"]
        token.extraQueryParameters = ["domain_hint": "a.b", "weird &=+%ä": " ", "slice": ""]
        #expect(try TokenRequest(token.entries) == token)
        var signOut = SignOutRequest(
            client: client, homeAccountID: "u.t", authority: "https://login.example/t", redirectURI: "msauth.a://auth")
        signOut.signoutFromBrowser = true
        signOut.wipeAccount = true
        signOut.wipeCacheForAllAccounts = true
        signOut.extraQueryParameters = ["a": "b"]
        #expect(try SignOutRequest(signOut.entries) == signOut)
        for (id, name) in [("u.t", "amara"), ("u.t", nil), (nil, "amara")] as [(String?, String?)] {
            let removal = try #require(RemoveAccountRequest(client: client, homeAccountID: id, username: name))
            #expect(try RemoveAccountRequest(removal.entries) == removal)
        }
    }

    @Test func `a removal without an account is refused`() {
        #expect(RemoveAccountRequest(client: client, homeAccountID: nil, username: nil) == nil)
        for empty in [client.entries, client.entries.merging([.homeAccountID: "", .username: ""])] {
            let error = #expect(throws: BrokerError.self) { try RemoveAccountRequest(empty) }
            #expect(error?.code == .invalidParameter && error?.message.contains("home_account_id") == true)
        }
    }

    @Test func `the default account is flat in its response, and an absent one is neither success nor error`() throws {
        let account = AccountRecord(
            homeAccountID: "u.t", localAccountID: "u", realm: "t", environment: "login.example", username: "a@b",
            name: "Amara", idTokenClaims: .object(["oid": .string("u")]))
        let map = DefaultAccountResponse(account: account).entries
        #expect(map.entries["home_account_id"] == "u.t" && map.entries["id_token_claims"] == nil)
        #expect(map[.success] == "1")
        let read = try DefaultAccountResponse(map).account
        #expect(read?.username == "a@b" && read?.name == "Amara" && read?.idTokenClaims == nil)
        let nobody = DefaultAccountResponse(account: nil).entries
        #expect(nobody[.success] == "0")
        #expect(try DefaultAccountResponse(nobody).account == nil)
        #expect(throws: BrokerError.self) { try DefaultAccountResponse(FlatMap([Key.success: "1"])) }
    }

    @Test(arguments: [Key.clientID, .redirectURI, .authority, .providerType, .protocolVersion])
    func `a request without a required key is refused, and the error names the key`(key: Key) throws {
        var map = TokenRequest(client: client, redirectURI: "r", authority: "a", scopes: []).entries
        map[key] = nil
        let error = #expect(throws: BrokerError.self) { try TokenRequest(map) }
        #expect(error?.code == .invalidParameter)
        #expect(error?.message.contains(key.rawValue) == true)
    }

    @Test func `an unknown version of the maps is refused`() {
        var map = client.entries
        map[.protocolVersion] = "3"
        #expect(throws: BrokerError.self) { try ClientRequest(map) }
    }

    @Test(arguments: [
        "a", "a=b=c", "=b", "a=%", "a=%zz", "a=%ff", "a=1&a=2", (0...32).map { "p\($0)=1" }.joined(separator: "&"),
    ])
    func `malformed extra query parameters are refused, not dropped`(text: String) {
        var map = TokenRequest(client: client, redirectURI: "r", authority: "a", scopes: []).entries
        map[.extraQueryParameters] = text
        #expect(throws: BrokerError.self) { try TokenRequest(map) }
    }

    @Test(arguments: [
        "", "x", "amara@contoso.test", "0af3c2b1-0000-4000-8000-00000000c0d\n", "0af3c2b1_0000-4000-8000-00000000c0de",
    ])
    func `a request id that is not a UUID counts as missing`(text: String) throws {
        var map = client.entries
        map[.correlationID] = text
        #expect(try ClientRequest(map).correlationID == nil)
    }

    @Test func `a request id is read in lower case, as the server writes it`() throws {
        var map = client.entries
        map[.correlationID] = client.correlationID?.uppercased()
        #expect(try ClientRequest(map).correlationID == client.correlationID)
    }

    @Test func `an error keeps the server's details`() throws {
        var error = BrokerError(.server, "Cause. Remedy.", oauthError: "odd", oauthSuberror: "suberror")
        error.serverCodes = [50058, 7]
        error.reason = .otherApp
        #expect(BrokerError(json: error.json) == error)
    }

    @Test func `an account is decoded as it was encoded`() throws {
        let account = AccountRecord(
            homeAccountID: "u.t", localAccountID: "u", realm: "t", environment: "login.example", username: "a@b",
            name: "Amara \"A\" Ö", idTokenClaims: .object(["oid": .string("u"), "n": .integer(3)]))
        #expect(try AccountsResponse(AccountsResponse(accounts: [account]).entries).accounts == [account])
    }

    @Test(arguments: ["{}", "[{}]", "[1]", #"[{"home_account_id":"u.t"}]"#, "["])
    func `a malformed account is an error, and never means that nobody is signed in`(text: String) {
        #expect(throws: BrokerError.self) { try AccountsResponse(FlatMap([Key.accounts: text])) }
    }

    @Test func `an unknown device mode is an error, and never means a personal device`() {
        for mode in [nil, "", "Shared", "kiosk"] {
            var map = DeviceInfo(mode: .shared, reason: "shared", brokerVersion: "1", registration: nil).entries
            map[.deviceMode] = mode
            #expect(throws: BrokerError.self) { try DeviceInfo(map) }
        }
    }

    @Test(arguments: [("", "client"), ("stream", "client"), ("", "stream:client"), ("a", "b:c:")])
    func `a reader of accounts consists of a client id and a name, and can be stored in a file`(
        name: String, clientID: String
    ) throws {
        let reader = try #require(AccountReader(clientID: clientID, name: name))
        #expect(AccountReader(rawValue: reader.rawValue) == reader)
        let map = name.isEmpty ? FlatMap() : FlatMap([Key.reader: name])
        #expect(try AccountReader(map, clientID: clientID) == reader)
        let kept = try JSONEncoder().encode([reader: 1])
        #expect(try JSONDecoder().decode([AccountReader: Int].self, from: kept) == [reader: 1])
    }

    @Test func `two readers never have the same text`() {
        let readers = [("", "a:b"), ("a", "b"), ("", "b"), ("a", "a:b"), ("b", "a")].compactMap { name, clientID in
            AccountReader(clientID: clientID, name: name)
        }
        #expect(Set(readers.map(\.rawValue)).count == 5)
    }

    @Test(arguments: ["Stream", "a b", "a:b", "1", "\u{e9}", String(repeating: "a", count: 17)])
    func `a reader's name is a short word in lower case`(name: String) {
        #expect(AccountReader(clientID: "client", name: name) == nil)
        #expect(throws: BrokerError.self) { try AccountReader(FlatMap([Key.reader: name]), clientID: "client") }
    }
}

extension FlatMap {
    fileprivate func merging(_ entries: [Key: String]) -> FlatMap {
        var map = self
        for (key, value) in entries { map[key] = value }
        return map
    }
}
