// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import BrowserHost
import JSON

extension Decoder {
    /// What a browser and its extension send: frames, questions, and the broker's operations for them.
    func feedBrowser(_ bytes: [UInt8]) {
        var (whole, single) = (NativeMessageReader(), NativeMessageReader())
        let messages = try? whole.take(bytes)
        var others: [[UInt8]]? = []
        for byte in bytes {
            guard let more = try? single.take([byte]) else {
                others = nil
                break
            }
            others?.append(contentsOf: more)
        }
        check(messages == others, "messages depend on how their bytes come in")
        for message in (messages ?? []) + [bytes] { _ = try? HostQuestion(message) }
        guard let map = try? FlatMap(bytes: bytes) else { return }
        _ = try? SSOCookiesRequest(map)
        if case .token(let request)? = try? BrowserNativeMessage(map) {
            check(request.tokenRequest.client.clientID == request.clientID, "a page's request is for another client")
        }
    }
}
