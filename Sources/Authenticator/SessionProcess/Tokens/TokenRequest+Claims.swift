// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import JSON

extension TokenRequest {
    private enum Member {
        static let accessToken = "access_token"
        static let capabilities = "xms_cc"
        static let values = "values"
    }

    /// The claims request together with what the app says that it can do; nil for neither.
    ///
    /// - Throws: ``BrokerError`` -51112 where the claims are no JSON object.
    func claimsWithCapabilities() throws(BrokerError) -> String? {
        guard !clientCapabilities.isEmpty else { return claims }
        var members: [String: JSONValue] = [:]
        if let claims {
            guard let asked = (try? JSONReader.read(Array(claims.utf8), limits: Wire.nestedLimits))?.object else {
                throw BrokerError(.developerParameter, "The claims request is no JSON object. Send one, or none.")
            }
            members = asked
        }
        var accessToken = members[Member.accessToken]?.object ?? [:]
        accessToken[Member.capabilities] = .object([
            Member.values: .array(clientCapabilities.map(JSONValue.string))
        ])
        members[Member.accessToken] = .object(accessToken)
        return JSONWriter.text(.object(members))
    }
}
