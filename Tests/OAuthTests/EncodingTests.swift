// SPDX-License-Identifier: Apache-2.0
import JSON
import OAuth
import Testing

@Suite struct EncodingTests {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `base64 follows RFC 4648`(plain: String, text: String) throws {
        #expect(Base64.encode(Array(plain.utf8)) == text)
        #expect(try Base64.decode(text) == Array(plain.utf8))
        #expect(Base64URL.encode(Array(plain.utf8)) == text.filter { $0 != "=" })
        #expect(try Base64URL.decode(text.filter { $0 != "=" }) == Array(plain.utf8))
    }

    @Test(arguments: ["A", "AB", "AA=", "AA==", "A+", "A/", "AA ", "A\u{e9}", "AAAAA"])
    func `base64url accepts only the canonical form`(text: String) {
        #expect(throws: Base64Failure()) { try Base64URL.decode(text) }
    }

    @Test(arguments: ["A", "AA", "AB==", "AA=", "====", "A===", "AA==AA==", "A-A_", "AA=A"])
    func `base64 accepts only the canonical form`(text: String) {
        #expect(throws: Base64Failure()) { try Base64.decode(text) }
    }

    @Test(arguments: ["--__", "++//", "+-/_", "++//==", "++\r\n//\r\n"])
    func `lenient base64 accepts both alphabets, any padding and line ends`(text: String) throws {
        #expect(try Base64.decodeLeniently(text) == [0xfb, 0xef, 0xff])
    }

    @Test func `a form is decoded as it was encoded`() throws {
        var form = FormParameters()
        form.append(ParameterName.scope, "openid profile")
        form.append(ParameterName.redirectURI, "msauth.org.baton.firstline://auth?ä=1&b=%")
        form.append(ParameterName.state, nil)
        let text = form.encoded
        #expect(text.hasPrefix("scope=openid%20profile&redirect_uri=msauth.org.baton.firstline%3A%2F%2Fauth%3F%C3%A4"))
        #expect(try FormParameters(parsing: text.utf8) == form)
    }

    @Test func `a form may contain plus signs, unencoded addresses and empty fields`() throws {
        let form = try FormParameters(parsing: "scope=a+b&redirect_uri=https://x/y&state=&&flag&client_id=%41".utf8)
        #expect(form[ParameterName.scope] == "a b")
        #expect(form[ParameterName.redirectURI] == "https://x/y")
        #expect(form[ParameterName.state] == nil)
        #expect(form["flag"] == nil)
        #expect(form[ParameterName.clientID] == "A")
    }

    @Test(arguments: [
        ("a=%", FormFailure.malformed), ("a=%4", .malformed), ("a=%zz", .malformed), ("a=%ff", .malformed),
        ("a=1&a=2", .repeated), ("%61=1&a=2", .repeated), ("a=&a=2", .repeated),
    ])
    func `a malformed form is refused`(text: String, failure: FormFailure) {
        #expect(throws: failure) { try FormParameters(parsing: text.utf8) }
    }

    @Test func `the size of a form is limited`() {
        let fields = (0..<65).map { "f\($0)=1" }.joined(separator: "&")
        #expect(throws: FormFailure.overLimit) { try FormParameters(parsing: fields.utf8) }
        let long = "a=" + String(repeating: "x", count: 64 * 1024)
        #expect(throws: FormFailure.overLimit) { try FormParameters(parsing: long.utf8) }
    }

    @Test func `members are read leniently where clients require it, and strictly elsewhere`() throws {
        let json = #"{"iat":"17","exp":18,"iss":5,"sid":null,"aud":"x","amr":["pwd"],"SharedDevice":"TRUE"}"#
        let members = try Members(decoding: Array(json.utf8))
        #expect(try members.lenientInteger(ClaimName.issuedAt) == 17)
        #expect(throws: MembersFailure.wrongType("iat")) { try members.integer(ClaimName.issuedAt) }
        #expect(try members.integer(ClaimName.expiresAt) == 18)
        #expect(throws: MembersFailure.wrongType("iss")) { try members.string(ClaimName.issuer) }
        #expect(try members.optionalString(ClaimName.sessionID) == nil)
        #expect(throws: MembersFailure.missing("sid")) { try members.string(ClaimName.sessionID) }
        #expect(try members.stringOrStrings(ClaimName.audience) == ["x"])
        #expect(try members.strings(ClaimName.authenticationMethods) == ["pwd"])
        #expect(try members.lenientBool(RegistrationName.sharedDevice) == true)
    }

    @Test func `text of the hand-written encoder is decoded unchanged, whatever it contains`() throws {
        let text = "\"\\\u{0}\u{1f}\n/ü\u{1f600}"
        var nested = MembersWriter()
        nested.set(ClaimName.name, text)
        var writer = MembersWriter()
        writer.set(ClaimName.name, text)
        writer.set(ClaimName.issuedAt, Int.max)
        writer.set(ClaimName.endBrowserSession, true)
        writer.set(ClaimName.authenticationMethods, [text, "mfa"])
        writer.set(RegistrationName.attributes, nested)
        let members = try Members(decoding: writer.bytes)
        #expect(try members.string(ClaimName.name) == text)
        #expect(try members.integer(ClaimName.issuedAt) == Int.max)
        #expect(members[ClaimName.endBrowserSession] == .bool(true))
        #expect(try members.strings(ClaimName.authenticationMethods) == [text, "mfa"])
        #expect(try members.members(RegistrationName.attributes)?.string(ClaimName.name) == text)
    }

    @Test(arguments: ["", "[]", "1", "{", "{\"a\":}", "{\"a\":1}x", "nul", "{\"a\":1e999}"])
    func `a value that is not a JSON object is refused`(text: String) {
        #expect(throws: MembersFailure.notAnObject) { try Members(decoding: Array(text.utf8)) }
    }

    @Test func `depth and length of JSON are limited`() {
        let deep = "{\"a\":" + String(repeating: "[", count: 30_000) + String(repeating: "]", count: 30_000) + "}"
        #expect(throws: MembersFailure.self) { try Members(decoding: Array(deep.utf8)) }
        #expect(throws: MembersFailure.overLimit) { try Members(decoding: [UInt8](repeating: 0x20, count: 65_537)) }
    }

    @Test func `client info yields the home account id`() throws {
        let info = ClientInfo(userID: "u", tenantID: "t")
        #expect(info.encoded == "eyJ1aWQiOiJ1IiwidXRpZCI6InQifQ")
        #expect(try ClientInfo(decoding: info.encoded).homeAccountID == "u.t")
    }

    @Test(arguments: ["a \"b", "a\\b", "a \u{e9}", String(repeating: "s ", count: 65)])
    func `scopes outside RFC 6749 are refused`(text: String) {
        #expect(Scopes(parsing: text) == nil)
    }

    @Test func `scopes keep their order and lose duplicates`() {
        #expect(Scopes(parsing: "openid  aza openid ugs")?.values == ["openid", "aza", "ugs"])
    }

    @Test func `an error reply is decoded with its number`() throws {
        let json = #"{"error":"invalid_grant","error_codes":[70008],"error_description":"x","suberror":"stale_epoch"}"#
        let error = try #require(OAuthError(try Members(decoding: Array(json.utf8))))
        #expect(error.code == .invalidGrant)
        #expect(error.number == 70008)
        #expect(error.suberror == Suberror.staleEpoch)
        #expect(OAuthError(Members([:])) == nil)
    }

    @Test func `a description that is passed on begins with its number only once`() throws {
        let json = #"{"error":"invalid_scope","error_codes":[70011],"error_description":"AADSTS70011: no such scope"}"#
        let error = try #require(OAuthError(try Members(decoding: Array(json.utf8))))
        #expect(error.description == "no such scope")
        #expect(error.wireDescription == "AADSTS70011: no such scope")
    }
}
