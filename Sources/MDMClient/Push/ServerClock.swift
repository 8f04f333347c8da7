// SPDX-License-Identifier: Apache-2.0
internal import DeviceHTTPS
internal import Glibc
internal import Synchronization

/// The difference between this device's clock and the server's, from the server's last answer.
final class ServerClock: Sendable {
    private let last = Mutex<Int?>(nil)

    /// Seconds by which this device's clock is ahead; nil if no answer has contained a time.
    var ahead: Int? { last.withLock(\.self) }

    func note(_ response: HTTPSClient.Response) {
        guard let date = response.header("date").flatMap(HTTPDate.init) else { return }
        let now = Int(Glibc.time(nil))
        last.withLock { $0 = now - date.seconds }
    }
}

/// Sends requests and records the time in each answer.
struct DatedSending: HTTPSending {
    let https: any HTTPSending
    let clock: ServerClock

    func send(_ request: HTTPSClient.Request) async throws -> HTTPSClient.Response {
        let response = try await https.send(request)
        clock.note(response)
        return response
    }

    func download(_ url: String, limit: Int, into sink: @Sendable ([UInt8]) async throws -> Void) async throws -> Int {
        try await https.download(url, limit: limit, into: sink)
    }
}
