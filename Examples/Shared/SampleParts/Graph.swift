// SPDX-License-Identifier: Apache-2.0
import CurlShim
import Foundation
package import Workers

/// Calls Graph: `/v1.0/me` with the worker's token.
package struct Graph: Sendable {
    private static let bodyLimit = 1 << 20

    private let endpoint: URL
    private let caFile: String?
    private let resolve: [String: String]

    package init(_ configuration: Configuration) {
        endpoint = configuration.graphEndpoint
        caFile = configuration.caFile
        resolve = configuration.resolve
    }

    /// Starts libcurl. Call it once, before any thread starts.
    package static func prepare() throws {
        guard curl_shim_prepare() == 0 else { throw ConfigurationError(reason: "libcurl does not start") }
    }

    private struct Me: Decodable {
        let displayName: String
        let jobTitle: String?
        let mail: String?
    }

    /// Fetches the worker's profile.
    ///
    /// Blocks: call it on a queue of its own.
    package func me(authorization: String) throws(Problem) -> Profile {
        let (status, body) = try get(endpoint.appending(path: "v1.0/me"), authorization: authorization)
        guard status == 200 else {
            throw Problem(code: "graph-\(status)", message: "Graph answered \(status). Sign in again if it is 401.")
        }
        do {
            let me = try JSONDecoder().decode(Me.self, from: body)
            return Profile(displayName: me.displayName, jobTitle: me.jobTitle, mail: me.mail)
        } catch { throw Problem(code: "graph-answer", message: "Graph's answer is not a person. Check graphEndpoint.") }
    }

    private func get(_ url: URL, authorization: String) throws(Problem) -> (status: Int, body: Data) {
        let collected = Body(limit: Self.bodyLimit)
        var status = 0
        // The token is passed in memory as a header, never in arguments or in the URL.
        let outcome = unsafe curl_shim_get(
            url.absoluteString, "Authorization: \(authorization)", caFile, resolution(of: url),
            { context, bytes, count in
                guard let context = unsafe context, let bytes = unsafe bytes else { return 1 }
                return unsafe Unmanaged<Body>.fromOpaque(context).takeUnretainedValue().append(bytes, count) ? 0 : 1
            }, Unmanaged.passUnretained(collected).toOpaque(), &status)
        guard outcome == 0 else {
            let reason = unsafe curl_shim_reason(outcome).map { unsafe String(cString: $0) } ?? "error \(outcome)"
            throw Problem(code: "graph-unreachable", message: "Graph cannot be reached: \(reason).")
        }
        return (status, collected.data)
    }

    /// Returns `host:port:address` if the configuration contains an address for the host.
    private func resolution(of url: URL) -> String? {
        guard let host = url.host, let address = resolve[host] else { return nil }
        return "\(host):\(url.port ?? 443):\(address)"
    }
}

/// Collects the pieces of a response, up to a limit.
private final class Body {
    private(set) var data = Data()
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    func append(_ bytes: UnsafePointer<CChar>, _ count: Int) -> Bool {
        guard data.count + count <= limit else { return false }
        unsafe data.append(UnsafeRawPointer(bytes).assumingMemoryBound(to: UInt8.self), count: count)
        return true
    }
}
