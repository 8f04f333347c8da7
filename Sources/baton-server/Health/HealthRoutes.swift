// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// `GET /healthz`, which succeeds while the process answers, and `GET /readyz`, which succeeds while the server can
/// serve requests and is not about to stop.
struct HealthRoutes {
    let readiness: Readiness
    let databases: DatabaseCheck

    func add(to router: Router<BasicRequestContext>) {
        router.get("/healthz") { _, _ in Self.answer(.ok, "alive") }
        router.get("/readyz") { _, _ in
            switch readiness.stage {
            case .starting: Self.answer(.serviceUnavailable, "starting")
            case .draining: Self.answer(.serviceUnavailable, "draining")
            case .serving:
                await databases.isUsable()
                    ? Self.answer(.ok, "ready") : Self.answer(.serviceUnavailable, "the database cannot be used")
            }
        }
    }

    private static func answer(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text + "\n")))
    }
}
