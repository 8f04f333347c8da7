// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import JSON
import Testing

@Suite struct BrowserMessageTests {
    private func cookies(_ entries: [Key: String]) throws -> SSOCookiesRequest {
        var map = FlatMap([.protocolVersion: "4"])
        for (key, value) in entries { map[key] = value }
        return try SSOCookiesRequest(map)
    }

    @Test(
        arguments: [
            ("0", .all), ("1", .primaryRefreshToken), ("2", .deviceRegistration), ("1, 2", .all), ("1,2", .all),
        ] as [(String, SSOCookiesRequest.Headers)])
    func `headers are requested by number`(text: String, headers: SSOCookiesRequest.Headers) throws {
        let request = try cookies([.ssoURL: "https://a", .typesOfHeader: text])
        #expect(request.headers == headers && request.url == "https://a" && request.homeAccountID == nil)
    }

    @Test(
        arguments: [
            ([.typesOfHeader: "0"], "sso_url"), ([.ssoURL: " ", .typesOfHeader: "0"], "sso_url"),
            ([.ssoURL: "a", .username: "u"], "home_account_id"),
            ([.ssoURL: "a", .homeAccountID: ""], "home_account_id"),
            ([.ssoURL: "a"], "types_of_header"), ([.ssoURL: "a", .typesOfHeader: ""], "types_of_header"),
            ([.ssoURL: "a", .typesOfHeader: "3"], "types_of_header"),
            ([.ssoURL: "a", .typesOfHeader: "1,"], "types_of_header"),
            ([.ssoURL: "a", .typesOfHeader: "x"], "types_of_header"),
        ] as [([Key: String], String)])
    func `an incomplete request for headers is refused with Microsoft's code and the missing key`(
        entries: [Key: String], name: String
    ) {
        let error = #expect(throws: BrokerError.self) { try cookies(entries) }
        #expect(error?.code == .internal && error?.message.contains(name) == true)
    }

    private static let headers = SSOHeaders(
        token: .init(name: "t", value: "1"), homeAccountID: "u.t", username: "u@x",
        device: .init(name: "d", value: "2"),
        tenantID: "t")

    @Test func `headers are written as one text, with the account of each`() throws {
        let text = try #require(Self.headers.entries[.ssoCookies])
        let value = try JSONReader.read(Array(text.utf8), limits: Wire.nestedLimits)
        #expect(
            value
                == .object([
                    "prt_headers": .array([
                        .object([
                            "header": .object(["t": .string("1")]), "home_account_id": .string("u.t"),
                            "displayable_id": .string("u@x"),
                        ])
                    ]),
                    "device_headers": .array([
                        .object(["header": .object(["d": .string("2")]), "tenant_id": .string("t")])
                    ]),
                ]))
        #expect(
            Self.headers.payload
                == .object([
                    "response": .array([
                        .object(["name": .string("t"), "data": .string("1")]),
                        .object(["name": .string("d"), "data": .string("2")]),
                    ])
                ]))
        let deviceAlone = SSOHeaders(
            token: nil, homeAccountID: "u.t", username: "u@x", device: .init(name: "d", value: "2"), tenantID: "t")
        #expect(deviceAlone.payload == .object(["response": .array([])]))
    }

    private func message(_ payload: String) throws -> BrowserNativeMessage {
        try BrowserNativeMessage(FlatMap([.protocolVersion: "4", .payload: payload]))
    }

    @Test func `each method of a browser's message is read`() throws {
        #expect(
            try message(#"{"method":"GetCookies","sender":"s","uri":"u","more":[1]}"#)
                == .headers(sender: "s", uri: "u"))
        #expect(
            try message(#"{"method":"SignOut","sender":"s","accountId":"a.b","correlationId":7}"#)
                == .signOut(sender: "s", homeAccountID: "a.b", correlationID: nil))
        #expect(try message(#"{"method":"browser_native_get_supported_contracts_operation"}"#) == .supportedContracts)
        let text = """
            {"method":"GetToken","sender":"s","request":{"clientId":"c","scope":"a b","redirectUri":"r","accountId":"u.t",
            "claims":{},"state":"x","correlationId":"C0FFEE00-0000-4000-8000-000000000000","extraParameters":1}}
            """
        guard case .token(let token) = try message(text) else {
            Issue.record("no request for a token")
            return
        }
        #expect(token.clientID == "c" && token.scopes == ["a", "b"] && token.homeAccountID == "u.t")
        #expect(token.authority == "https://login.microsoftonline.com/common" && token.claims == nil)
        #expect(token.state == "x" && token.correlationID != nil)
        #expect(token.tokenRequest.client.clientID == "c" && token.tokenRequest.homeAccountID == "u.t")
    }

    @Test(arguments: [
        ("", "payload"), ("x", "payload"), ("[]", "payload"), ("{}", "method"), (#"{"method":1}"#, "method"),
        (#"{"method":"GetCookies","uri":"u"}"#, "sender"), (#"{"method":"GetCookies","sender":"s"}"#, "uri"),
        (#"{"method":"GetCookies","sender":"s","uri":{}}"#, "uri"),
        (#"{"method":"SignOut","sender":"s","accountId":"a"}"#, "accountId"),
        (#"{"method":"SignOut","sender":"s","accountId":"a.b.c"}"#, "accountId"),
        (#"{"method":"GetToken","sender":"s"}"#, "request"),
        (#"{"method":"GetToken","sender":"s","request":{"clientId":"c","scope":"a"}}"#, "redirectUri"),
    ])
    func `a message of the wrong shape is refused with the reason`(payload: String, name: String) {
        let error = #expect(throws: BrokerError.self) { try message(payload) }
        #expect(error?.code == .invalidParameter && error?.message.contains(name) == true)
    }

    @Test func `an unknown method is unsupported, and a token type that the broker cannot issue is refused`() {
        #expect(throws: BrokerError.self) { try message(#"{"method":"getcookies"}"#) }
        for member in [
            #""nonce":"n""#, #""tokenType":"pop""#, #""reqCnf":"x""#, #""extraParameters":{"tokenType":"Pop"}"#,
        ] {
            let error = #expect(throws: BrokerError.self) {
                try message(
                    #"{"method":"GetToken","sender":"s","request":{"clientId":"c","scope":"a","redirectUri":"r",\#(member)}}"#
                )
            }
            #expect(error?.code == .developerParameter)
        }
    }
}
