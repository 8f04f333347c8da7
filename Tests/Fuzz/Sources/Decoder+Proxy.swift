// SPDX-License-Identifier: Apache-2.0
import ProxyProtocol

extension Decoder {
    /// The header that a load balancer sends before a client's bytes. The result does not depend on the pieces in which
    /// the header arrives.
    func feedProxy(_ bytes: [UInt8]) {
        _ = AddressRange(String(decoding: bytes, as: UTF8.self))
        _ = AddressRange("0.0.0.0/0")?.contains(bytes)
        guard let header = try? ProxyHeader.read(bytes) else { return }
        check(header.length <= min(bytes.count, ProxyHeader.maximumLength), "a header is longer than its bytes")
        check((try? ProxyHeader.read(bytes.prefix(header.length))) == header, "bytes after a header change it")
        for count in 0..<header.length {
            let early = Result { () throws(ProxyHeader.Refusal) in try ProxyHeader.read(bytes.prefix(count)) }
            check(early == .success(nil), "the beginning of a header is refused or taken for the whole")
        }
    }
}
