// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import JSON

/// Claims that an app asks for beyond what its scopes bring (OpenID Connect Core section 5.5).
///
/// Asking for claims passes by every cached token (SIL-7). Objects of this class belong to one thread at a time.
#if canImport(ObjectiveC)
    @objc(MSALClaimsRequest) @objcMembers
#endif
open class MSALClaimsRequest: NSObject, MSALJsonSerializable, MSALJsonDeserializable {
    private var claims: [MSALClaimsRequestTarget: [MSALIndividualClaimRequest]] = [:]
    /// What was wrong with the JSON that this was made of; such a request can be used for nothing.
    private(set) var fault: Fault?

    /// Asks for nothing yet.
    public override init() { super.init() }

    /// Takes a claims request in its JSON form, an object with the keys `id_token` and `access_token` only (CLM-1).
    ///
    /// Where the text cannot be read, `error` gets an `NSError` -50000/-42000, and a call that is given this object ends
    /// with the same error rather than without claims.
    public required init(jsonString: String, error: NSErrorPointer) {
        super.init()
        do throws(Fault) { claims = try Self.read(jsonString) } catch {
            fault = error
        }
        if let fault { unsafe error?.pointee = fault.error() }
    }

    /// Asks for a claim in a token; one of the same name that was asked before is replaced (CLM-1).
    ///
    /// - Throws: an `NSError` -50000/-42000 where the name is blank.
    #if canImport(ObjectiveC)
        @objc(requestClaim:forTarget:error:)
    #endif
    open func requestClaim(_ request: MSALIndividualClaimRequest, for target: MSALClaimsRequestTarget) throws {
        guard !request.name.allSatisfy(\.isWhitespace) else { throw Self.invalid("has a claim without a name").error() }
        claims[target, default: []].removeAll { $0.name == request.name }
        claims[target, default: []].append(request)
    }

    /// Asks no longer for the claim `name` in a token.
    ///
    /// - Throws: an `NSError` -50000/-42000 where it was not asked for (CLM-2).
    #if canImport(ObjectiveC)
        @objc(removeClaimRequestWithName:target:error:)
    #endif
    open func removeClaim(withName name: String, target: MSALClaimsRequestTarget) throws {
        guard let index = claims[target]?.firstIndex(where: { $0.name == name }) else {
            throw Self.invalid("asks for no claim of this name").error()
        }
        claims[target]?.remove(at: index)
    }

    /// The claims that are asked for in a token, in the order in which they were asked; nil where there are none.
    #if canImport(ObjectiveC)
        @objc(claimsRequestsForTarget:)
    #endif
    open func claimsRequests(for target: MSALClaimsRequestTarget) -> [MSALIndividualClaimRequest]? {
        guard let requests = claims[target], !requests.isEmpty else { return nil }
        return requests
    }

    /// The request as JSON text, with sorted keys.
    ///
    /// It is nil where a value is no JSON value (CLM-3), or where the text that this was made of could not be read.
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

    /// Whether nothing is asked for, so that a cached token will do.
    ///
    /// A request whose last claim was removed is empty; it is not with Microsoft's (CLM-2).
    var isEmpty: Bool { fault == nil && claims.values.allSatisfy(\.isEmpty) }
}

extension MSALClaimsRequest {
    /// What stands beside a claim's name; null where only the name matters (CLM-1).
    private static func json(_ request: MSALIndividualClaimRequest) -> Any { request.additionalInfo?.json ?? NSNull() }

    private static func read(_ text: String) throws(Fault) -> [MSALClaimsRequestTarget: [MSALIndividualClaimRequest]] {
        // A challenge comes from the resource that the app called, and is as foreign as any bytes.
        guard let root = (try? JSONReader.read(Array(text.utf8), limits: Wire.nestedLimits))?.object else {
            throw invalid("is no JSON object")
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
