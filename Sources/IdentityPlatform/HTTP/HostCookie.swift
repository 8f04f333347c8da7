// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth

/// The cookies of the sign-in pages: of this host alone, over TLS alone, out of reach of scripts, and all but one gone
/// with the browser (RFC 6265bis, `__Host-` prefix).
enum HostCookie: String {
    case session = "__Host-baton-session"
    case csrf = "__Host-baton-csrf"
    /// See ``DeviceCookie``; the one that outlives the browser.
    case device = "__Host-baton-device"

    func value(in request: Request) -> String? { request.cookies[rawValue]?.value }

    /// The value, where it is one of the 32 random bytes that we set.
    func word(in request: Request) -> String? {
        value(in: request).flatMap { (try? Base64URL.decode($0))?.count == 32 ? $0 : nil }
    }

    func set(_ value: String, on response: inout Response) {
        response.headers.append(field("\(rawValue)=\(value)"))
    }

    /// The request as if the browser had sent the value already.
    func adding(_ value: String, to request: Request) -> Request {
        var head = request.head
        let sent = head.headerFields[.cookie].map { "\($0); " } ?? ""
        head.headerFields[.cookie] = "\(sent)\(rawValue)=\(value)"
        return Request(head: head, body: request.body)
    }

    func set(_ value: String, for lifetime: Duration, on response: inout Response) {
        response.headers.append(field("\(rawValue)=\(value); Max-Age=\(lifetime.components.seconds)"))
    }

    func clear(on response: inout Response) {
        response.headers.append(field("\(rawValue)=; Max-Age=0"))
    }

    private func field(_ start: String) -> HTTPField {
        HTTPField(name: .setCookie, value: "\(start); Path=/; Secure; HttpOnly; SameSite=Lax")
    }
}
