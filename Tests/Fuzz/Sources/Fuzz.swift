// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Feeds one decoder of untrusted input with libFuzzer's inputs. A refusal is fine; a trap or an inconsistency is not.
///
/// `BATON_FUZZ_DECODER` selects the decoder; the arguments are libFuzzer's own. See `scripts/stress/fuzz`.
@main enum Fuzz {
    /// The decoder that this process feeds.
    static let decoder: Decoder = {
        let name = unsafe getenv("BATON_FUZZ_DECODER").map { unsafe String(cString: $0) } ?? ""
        guard let decoder = Decoder(rawValue: name) else {
            print("BATON_FUZZ_DECODER must be one of: \(Decoder.allCases.map(\.rawValue).joined(separator: " "))")
            exit(64)
        }
        return decoder
    }()

    static func main() {
        guard CommandLine.arguments.dropFirst() != ["--list"] else {
            for decoder in Decoder.allCases { print(decoder.rawValue) }
            return
        }
        var count = CommandLine.argc
        var arguments = unsafe CommandLine.unsafeArgv
        exit(unsafe runFuzzer(&count, &arguments, testOneInput))
    }
}

/// The decoders of untrusted input, one case each.
enum Decoder: String, CaseIterable, Sendable {
    case announcements, json, messages, envelopes, frames, tokens, registration, certificateRequests, encodings,
        propertyLists,
        management, containers, receipts, browser, helper, audit, proxy

    func feed(_ bytes: [UInt8]) {
        switch self {
        case .announcements: feedAnnouncements(bytes)
        case .json: feedJSON(bytes)
        case .messages: feedMessages(bytes)
        case .envelopes: feedEnvelopes(bytes)
        case .frames: feedFrames(bytes)
        case .tokens: feedTokens(bytes)
        case .registration: feedRegistration(bytes)
        case .certificateRequests: feedCertificateRequests(bytes)
        case .encodings: feedEncodings(bytes)
        case .propertyLists: feedPropertyLists(bytes)
        case .management: feedManagement(bytes)
        case .containers: feedContainers(bytes)
        case .receipts: feedReceipts(bytes)
        case .browser: feedBrowser(bytes)
        case .helper: feedHelper(bytes)
        case .audit: feedAudit(bytes)
        case .proxy: feedProxy(bytes)
        }
    }
}

/// libFuzzer's loop.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The function that libFuzzer calls for each input, under the name that it expects.
@c(LLVMFuzzerTestOneInput) func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    Fuzz.decoder.feed(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// Ends the process if the condition does not hold. libFuzzer then reports a find.
func check(_ holds: Bool, _ what: StaticString) {
    guard holds else { preconditionFailure("\(what)") }
}
