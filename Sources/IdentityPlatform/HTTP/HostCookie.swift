// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth

/// The cookies of the sign-in pages. They are sent only to this host and only over TLS, and scripts cannot read them
/// (RFC 6265bis, `__Host-` prefix). All but one are deleted when the browser closes.
enum HostCookie: String {
    case session = "__Host-baton-session"
    case csrf = "__Host-baton-csrf"
    /// The only cookie that is kept when the browser closes; see ``DeviceCookie``.
    case device = "__Host-baton-device"

    func value(in request: Request) -> String? { request.cookies[rawValue]?.value }

    /// Returns the value if it has the format of a value that this server sets: 32 bytes in base64url.
    func word(in request: Request) -> String? {
        value(in: request).flatMap { (try? Base64URL.decode($0))?.count == 32 ? $0 : nil }
    }

    func set(_ value: String, on response: inout Response) {
        response.headers.append(field("\(rawValue)=\(value)"))
    }

    /// Returns the request with this cookie added, as if the browser had already sent the value.
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
