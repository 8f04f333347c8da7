// SPDX-License-Identifier: Apache-2.0
import Foundation
import MSAL
import Testing

/// Rules CLM: the claims that an app requests.
struct ClaimsTests {
    private func claim(_ name: String, essential: Bool? = nil, value: Any? = nil, values: [Any]? = nil)
        -> MSALIndividualClaimRequest
    {
        let claim = MSALIndividualClaimRequest(name: name)
        if essential != nil || value != nil || values != nil {
            let info = MSALIndividualClaimRequestAdditionalInfo()
            info.essential = essential.map(NSNumber.init(value:))
            info.value = value
            info.values = values
            claim.additionalInfo = info
        }
        return claim
    }

    @Test func `CLM-1 a request is encoded as in OpenID Connect`() throws {
        let request = MSALClaimsRequest()
        try request.requestClaim(claim("nickname"), for: .idToken)
        try request.requestClaim(claim("sub", value: "x"), for: .idToken)
        try request.requestClaim(claim("acrs", essential: true, values: ["c1", 2]), for: .accessToken)
        #expect(
            request.jsonString() == """
                {"access_token":{"acrs":{"essential":true,"values":["c1",2]}},\
                "id_token":{"nickname":null,"sub":{"value":"x"}}}
                """)
    }

    @Test func `CLM-1 a claim replaces only one of the same name in the same token`() throws {
        let request = MSALClaimsRequest()
        try request.requestClaim(claim("sub", value: "1"), for: .idToken)
        try request.requestClaim(claim("sub", value: "2"), for: .accessToken)
        try request.requestClaim(claim("sub", value: "3"), for: .idToken)
        #expect(
            request.jsonString() == #"{"access_token":{"sub":{"value":"2"}},"id_token":{"sub":{"value":"3"}}}"#)
        #expect(request.claimsRequests(for: .idToken)?.map(\.name) == ["sub"])
    }

    @Test(arguments: [
        #"{"access_token":{"nbf":{"essential":true,"value":1700000000}},"id_token":{"name":null}}"#, "{}",
        #"{"id_token":{}}"#, #"{"id_token":{"a":{"values":["x","y"]},"b":{}}}"#,
        #"{"id_token":{"a":{"value":{"b":[true,1.5,null,"x"]}}}}"#,
    ])
    func `CLM-1 a request is decoded as it was encoded`(json: String) throws {
        var error: NSError?
        let request = unsafe MSALClaimsRequest(jsonString: json, error: &error)
        #expect(error == nil)
        let again = unsafe MSALClaimsRequest(jsonString: try #require(request.jsonString()), error: &error)
        #expect(error == nil && again.jsonString() == request.jsonString())
        #expect(request.claimsRequests(for: .idToken)?.count == again.claimsRequests(for: .idToken)?.count)
    }

    @Test(arguments: [
        "", "x", "[]", "null", #"{"userinfo":{}}"#, #"{"id_token":[]}"#, #"{"id_token":{"a":1}}"#,
        #"{"id_token":{"a":{"essential":"yes"}}}"#, #"{"id_token":{"a":null,"a":null}}"#,
        #"{"id_token":{"a":{"values":1}}}"#, #"{"id_token":{}"#,
    ])
    func `CLM-1 an invalid claims request is an error, and no call continues without its claims`(
        json: String
    ) async throws {
        var error: NSError?
        let request = unsafe MSALClaimsRequest(jsonString: json, error: &error)
        #expect(Seen(try #require(error)).asInternal == .internalErrorInvalidParameter)
        #expect(request.jsonString() == nil)
        let silent = unsafe MSALClaimsRequest(jsonString: json, error: nil)
        let parameters = MSALInteractiveTokenParameters(
            scopes: ["User.Read"], webviewParameters: MSALWebviewParameters(authPresentationViewController: NSObject()))
        parameters.claimsRequest = silent
        let application = try ScriptedBroker().application()
        let outcome = try await seen { try await application.acquireToken(with: parameters) }
        #expect(outcome.asInternal == .internalErrorInvalidParameter)
    }

    @Test func `CLM-2 removing a claim that was not requested is an error`() async throws {
        let request = MSALClaimsRequest()
        try request.requestClaim(claim("sub"), for: .idToken)
        try request.removeClaim(withName: "sub", target: .idToken)
        #expect(request.claimsRequests(for: .idToken) == nil)
        #expect(request.jsonString() == "{}")
        let error = try await seen { try request.removeClaim(withName: "sub", target: .idToken) }
        #expect(error.asInternal == .internalErrorInvalidParameter)
    }

    @Test func `CLM-3 a value that is not JSON is never encoded`() throws {
        for value in [NSObject(), Double.nan, Date(), ["x": NSObject()]] as [Any] {
            let request = MSALClaimsRequest()
            try request.requestClaim(claim("sub", value: value), for: .idToken)
            #expect(request.jsonString() == nil)
        }
    }

    @Test func `a claim without a name is refused`() async throws {
        let request = MSALClaimsRequest()
        let nameless = claim(" ")
        let error = try await seen { try request.requestClaim(nameless, for: .idToken) }
        #expect(error.asInternal == .internalErrorInvalidParameter)
    }
}
