// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import JSON

/// Claims that an app requests in addition to those of its scopes (OpenID Connect Core section 5.5).
///
/// A request with claims bypasses every cached token (SIL-7). An object of this class must be used by one thread at a
/// time.
#if canImport(ObjectiveC)
    @objc(MSALClaimsRequest) @objcMembers
#endif
open class MSALClaimsRequest: NSObject, MSALJsonSerializable, MSALJsonDeserializable {
    private var claims: [MSALClaimsRequestTarget: [MSALIndividualClaimRequest]] = [:]
    /// The error in the JSON from which this object was made. An object with a fault cannot be used in a call.
    private(set) var fault: Fault?

    /// Makes an empty claims request.
    public override init() { super.init() }

    /// Parses a claims request from JSON, an object with only the keys `id_token` and `access_token` (CLM-1).
    ///
    /// If the text cannot be parsed, `error` is set to an `NSError` -50000/-42000. A call with this object then fails
    /// with the same error instead of ignoring the claims.
    public required init(jsonString: String, error: NSErrorPointer) {
        super.init()
        do throws(Fault) { claims = try Self.read(jsonString) } catch {
            fault = error
        }
        if let fault { unsafe error?.pointee = fault.error() }
    }

    /// Requests a claim in a token; replaces an earlier request for the same name (CLM-1).
    ///
    /// - Throws: an `NSError` -50000/-42000 if the name is blank.
    #if canImport(ObjectiveC)
        @objc(requestClaim:forTarget:error:)
    #endif
    open func requestClaim(_ request: MSALIndividualClaimRequest, for target: MSALClaimsRequestTarget) throws {
        guard !request.name.allSatisfy(\.isWhitespace) else { throw Self.invalid("has a claim without a name").error() }
        claims[target, default: []].removeAll { $0.name == request.name }
        claims[target, default: []].append(request)
    }

    /// Removes the request for the claim `name` in a token.
    ///
    /// - Throws: an `NSError` -50000/-42000 if the claim was not requested (CLM-2).
    #if canImport(ObjectiveC)
        @objc(removeClaimRequestWithName:target:error:)
    #endif
    open func removeClaim(withName name: String, target: MSALClaimsRequestTarget) throws {
        guard let index = claims[target]?.firstIndex(where: { $0.name == name }) else {
            throw Self.invalid("does not request a claim with this name").error()
        }
        claims[target]?.remove(at: index)
    }

    /// Returns the claims requested in a token, in the order in which they were requested; nil if there are none.
    #if canImport(ObjectiveC)
        @objc(claimsRequestsForTarget:)
    #endif
    open func claimsRequests(for target: MSALClaimsRequestTarget) -> [MSALIndividualClaimRequest]? {
        guard let requests = claims[target], !requests.isEmpty else { return nil }
        return requests
    }

    /// Returns the request as JSON text with sorted keys.
    ///
    /// Returns nil if a value is not a JSON value (CLM-3), or if this object was made from invalid JSON.
    open func jsonString() -> String? {
        guard fault == nil else { return nil }
        var root: [String: Any] = [:]
        for (target, requests) in claims where !requests.isEmpty {
            root[target.key] = Dictionary(requests.map { ($0.name, Self.json($0)) }) { $1 }
        }
        guard JSONSerialization.isValidJSONObject(root),
            let data = try? JSONSerialization.data(withJSONObject: root, options: [.sortedKeys])
        else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    /// Whether no claim is requested, so that a cached token may be used.
    ///
    /// A request whose last claim was removed is empty here; in Microsoft's library it is not (CLM-2).
    var isEmpty: Bool { fault == nil && claims.values.allSatisfy(\.isEmpty) }
}

extension MSALClaimsRequest {
    /// The JSON value for a claim; null if the claim has no additional information (CLM-1).
    private static func json(_ request: MSALIndividualClaimRequest) -> Any { request.additionalInfo?.json ?? NSNull() }

    private static func read(_ text: String) throws(Fault) -> [MSALClaimsRequestTarget: [MSALIndividualClaimRequest]] {
        // A claims challenge comes from the resource that the app called, so it is untrusted input.
        guard let root = (try? JSONReader.read(Array(text.utf8), limits: Wire.nestedLimits))?.object else {
            throw invalid("is not a JSON object")
        }
        var claims: [MSALClaimsRequestTarget: [MSALIndividualClaimRequest]] = [:]
        for (key, member) in root {
            guard let target = [MSALClaimsRequestTarget.idToken, .accessToken].first(where: { $0.key == key }) else {
                throw invalid("has a key other than id_token and access_token")
            }
            guard let requests = member.object else { throw invalid("has a key without an object") }
            claims[target] = []
            for (name, info) in requests.sorted(by: { $0.key < $1.key }) {
                claims[target]?.append(try request(name, info))
            }
        }
        return claims
    }

    private static func request(_ name: String, _ info: JSONValue) throws(Fault) -> MSALIndividualClaimRequest {
        let request = MSALIndividualClaimRequest(name: name)
        if info == .null { return request }
        guard let members = info.object,
            let additional = MSALIndividualClaimRequestAdditionalInfo(json: members)
        else { throw invalid("has a claim that is neither null nor an object of essential, value and values") }
        request.additionalInfo = additional
        return request
    }

    private static func invalid(_ reason: String) -> Fault {
        Fault(.claims, detail: "It \(reason).")
    }
}
