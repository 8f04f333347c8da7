// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import FoundationEssentials
import Glibc
import JSON
import Redaction
import UnixSocket

extension Decoder {
    /// The JSON reader. A value that was read survives writing and reading again.
    func feedJSON(_ bytes: [UInt8]) {
        let limits = JSONLimits(bytes: 64 << 10, depth: 8, values: 1024, stringBytes: 4096)
        guard let value = try? JSONReader.read(bytes, limits: limits) else { return }
        let again = try? JSONReader.read(JSONWriter.write(value), limits: JSONLimits(bytes: 1 << 20, depth: 8))
        check(again == value, "what was written is read as another value")
    }

    /// Messages in the form of Swift's Codable types; the operator's frames represent all of them.
    func feedMessages(_ bytes: [UInt8]) {
        _ = try? JSONReader.read(OperatorRequest.self, from: bytes, limits: Wire.operatorLimits)
        _ = try? JSONReader.read(OperatorReply.self, from: bytes, limits: Wire.operatorLimits)
        _ = try? JSONReader.read([String: [Int8?]].self, from: bytes, limits: Wire.agentLimits)
    }

    /// Both directions of the helper's socket, read as ``FramedJSON`` reads them. What was read survives writing and
    /// reading again.
    func feedHelper(_ bytes: [UInt8]) {
        feedHelper(HelperRequest.self, bytes)
        feedHelper(HelperReply.self, bytes)
    }

    private func feedHelper<Message: Codable & Equatable>(_ type: Message.Type, _ bytes: [UInt8]) {
        guard let message = try? JSONReader.read(type, from: bytes, limits: Wire.helperLimits),
            let written = try? JSONEncoder().encode(message)
        else { return }
        check(
            (try? JSONReader.read(type, from: Array(written), limits: Wire.helperLimits)) == message,
            "a message of the helper's socket changes when written")
    }

    /// Both directions of the broker's socket, and the texts inside their maps.
    func feedEnvelopes(_ bytes: [UInt8]) {
        if let message = try? ClientMessage(bytes: bytes) {
            check((try? ClientMessage(bytes: message.bytes)) == message, "a client's message changes when written")
        }
        if let message = try? BrokerMessage(bytes: bytes) {
            check((try? BrokerMessage(bytes: message.bytes)) == message, "a broker's message changes when written")
        }
        feedMaps(bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        if let epoch = Epoch(text) { check(Epoch(epoch.description) == epoch, "an epoch changes when written") }
        if let value = try? JSONReader.read(bytes, limits: Wire.nestedLimits) {
            if let error = BrokerError(json: value) {
                check(BrokerError(json: error.json) == error, "an error changes")
            }
            if let account = AccountRecord(json: value) {
                check(AccountRecord(json: account.json) == account, "an account changes when written")
            }
        }
    }

    /// The flat maps of the operations. A request that was read survives writing and reading again.
    private func feedMaps(_ bytes: [UInt8]) {
        guard let map = try? FlatMap(bytes: bytes) else { return }
        if let request = try? TokenRequest(map) {
            check((try? TokenRequest(request.entries)) == request, "a token request changes")
        }
        if let request = try? SignOutRequest(map) {
            check((try? SignOutRequest(request.entries)) == request, "a sign-out changes")
        }
        if let request = try? RemoveAccountRequest(map) {
            check((try? RemoveAccountRequest(request.entries)) == request, "a removal changes")
        }
        if let request = try? BrokerProtocol.DeviceTokenRequest(map) {
            check(
                (try? BrokerProtocol.DeviceTokenRequest(request.entries)) == request, "a device token request changes")
        }
        if let note = try? Acknowledgement(map) {
            check((try? Acknowledgement(note.entries)) == note, "an acknowledgement changes")
        }
        if let answer = try? DefaultAccountResponse(map), answer.account != nil {
            check(
                (try? DefaultAccountResponse(answer.entries))?.account?.homeAccountID == answer.account?.homeAccountID,
                "the default account changes")
        }
        _ = try? DeviceInfo(map)
        _ = try? AccountsResponse(map)
        _ = try? CurrentAccount(map)
    }

    /// The frame codec: what a stranger writes to a socket before disconnecting.
    func feedFrames(_ bytes: [UInt8]) {
        guard bytes.count <= 8 << 10, let (near, far) = try? FrameConnection.pair(maximumFrame: 256) else { return }
        let written = far.descriptor.withNumber { unsafe write($0, bytes, bytes.count) }
        check(written == bytes.count, "the socket takes a few kilobytes")
        far.shutDown()
        var rest = bytes[...]
        do throws(FrameConnection.ReadFailure) {
            while true {
                let body = try near.read().body.withBytes { $0.byteCount }
                check(body <= 256 && rest.count >= 4 + body, "a frame is what was sent")
                rest = rest.dropFirst(4 + body)
            }
        } catch {
            switch error {
            case .ended: check(rest.isEmpty, "a connection ends between frames")
            case .truncated: check(!rest.isEmpty, "a frame is cut short")
            case .tooLarge(let count): check(count > 256, "a frame is refused for its length")
            case .notAdmitted, .tooSlow: check(false, "a frame is refused without a reason")
            case .socket: check(false, "the socket failed")
            }
        }
    }
}
