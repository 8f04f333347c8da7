// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth

extension Pages {
    /// Returns a response that sends the browser back to the client with the response fields, in the response mode that
    /// the client requested.
    func answer(
        _ fields: FormParameters, to address: AuthorizeRequest.ReturnAddress, status: HTTPResponse.Status,
        in setting: PageSetting
    ) -> Response {
        switch address.mode {
        case .query: redirect(to: address.redirect.appending(fields), status: status, in: setting)
        case .fragment: redirect(to: address.redirect.text + "#" + fields.encoded, status: status, in: setting)
        case .formPost:
            formPost(to: address.redirect, fields: Self.fields(of: fields), in: setting)
        }
    }
}

extension RedirectURI {
    /// Returns the URI with more parameters in its query.
    func appending(_ fields: FormParameters) -> String {
        let separator = text.contains("?") ? "&" : "?"
        let bare = ["http", "https"].contains(scheme) && rest == "/" && !text.hasSuffix("/") && separator == "?"
        return text + (bare ? "/" : "") + separator + fields.encoded
    }
}
