// SPDX-License-Identifier: Apache-2.0
import DeviceSettings
import Testing

@Suite struct SSOAddressTests {
    @Test(
        arguments: [
            ("https://login.example", "https://login.example", "/", nil),
            ("HTTPS://Login.EXAMPLE:443/T/v2.0?x=/../y#f", "https://login.example", "/T/v2.0", "x=/../y"),
            ("https://login.example:8443?a", "https://login.example:8443", "/", "a"),
            ("https://127.0.0.1:1/a%20b/%41", "https://127.0.0.1:1", "/a%20b/%41", nil),
            ("https://xn--lgin-5qa.example/?", "https://xn--lgin-5qa.example", "/", ""),
            ("https://login.example/...//a.", "https://login.example", "/...//a.", nil),
        ] as [(String, String, String, String?)])
    func `an address is split into origin, path and query`(
        text: String, origin: String, path: String, query: String?
    ) throws {
        let address = try SSOAddress(text)
        #expect(address.origin == origin && address.path == path && address.query == query)
    }

    @Test(
        arguments: [
            ("", .length), ("https://login.example/" + String(repeating: "a", count: 8192), .length),
            ("https://login.example/ x", .character), (" https://login.example", .character),
            ("https://login.example\\@evil.example", .character), ("https://lögin.example", .character),
            ("https://login.example/\u{0}", .character), ("https://[::1]/", .character),
            ("https://login.example/\t", .character), ("https://login.example/\n", .character),
            ("http://login.example", .scheme), ("https:/login.example", .scheme), ("//login.example", .scheme),
            ("ws://login.example", .scheme), ("https", .scheme), ("javascript:https://login.example", .scheme),
            ("https://user@login.example", .user), ("https://login.example@evil.example/", .user),
            ("https://login.example:443@evil.example", .user), ("https://@login.example", .user),
            ("https://", .host), ("https:///login.example", .host), ("https://login.example./", .host),
            ("https://.login.example", .host), ("https://login..example", .host), ("https://-login.example", .host),
            ("https://login-.example", .host), ("https://login_x.example", .host), ("https://login%2eexample", .host),
            ("https://" + String(repeating: "a", count: 64) + ".example", .host), ("https://:443", .host),
            ("https://login.example:", .port), ("https://login.example:0", .port),
            ("https://login.example:0443", .port),
            ("https://login.example:65536", .port), ("https://login.example:4x3", .port),
            ("https://login.example:+443", .port), ("https://login.example:443:443", .port),
            ("https://login.example/..", .path), ("https://login.example/a/../b", .path),
            ("https://login.example/./a", .path), ("https://login.example/a/%2e%2E/b", .path),
            ("https://login.example/a%2fb", .path), ("https://login.example/a%5Cb", .path),
            ("https://login.example/a%252fb", .path), ("https://login.example/a%00", .path),
            ("https://login.example/a%0a", .path), ("https://login.example/a%", .path),
            ("https://login.example/a%4", .path),
            ("https://login.example/a%zz", .path), ("https://login.example/a%+f", .path),
            ("https://login.example/a%7f", .path),
        ] as [(String, SSOAddress.Failure)])
    func `an ambiguous address is refused`(
        text: String, failure: SSOAddress.Failure
    ) {
        #expect(throws: failure) { try SSOAddress(text) }
    }

    @Test(
        arguments: [
            ("?sso_nonce=AwA-_9", "AwA-_9"), ("?a=b&sso_nonce=n&c=d", "n"), ("", nil), ("?sso_nonce=", nil),
            ("?sso_nonce=a&sso_nonce=b", nil), ("?sso_nonce=a&sso_nonce=a", nil), ("?sso_nonce=a.b", nil),
            ("?sso_nonce=a%41", nil), ("?xsso_nonce=a", nil), ("?SSO_NONCE=a", nil), ("#sso_nonce=a", nil),
            ("?sso_nonce=" + String(repeating: "n", count: 257), nil),
        ] as [(String, String?)])
    func `the identity platform's nonce is used if it occurs once and is well-formed`(query: String, nonce: String?)
        throws
    {
        #expect(try SSOAddress("https://login.example/t" + query).nonce == nonce)
    }
}
