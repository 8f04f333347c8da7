// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerIPC
internal import FoundationEssentials

/// Whether the identity platform can be reached, and whether its clock and the device's agree.
struct ServerFindings: Sendable {
    let join: JoinRecord
    let https: any HTTPSending
    /// Seconds since 1970.
    let now: @Sendable () -> Int

    /// Seconds by which two clocks may differ before tokens and requests are taken for stale.
    private static let tolerance = 300

    var all: [CheckResult] {
        get async {
            let url = "\(join.loginURL)/\(join.tenantID)/v2.0/.well-known/openid-configuration"
            let answer: HTTPSClient.Response
            do { answer = try await https.send(.init(method: "GET", url: url)) } catch {
                return [Self.unreachable(error)]
            }
            guard answer.status == 200 else {
                return [
                    CheckResult(
                        .server, .bad, code: "server_refuses",
                        message: "The identity platform answers with status \(answer.status).",
                        remedy: "Look at its log; the organisation may have been removed.")
                ]
            }
            let reached = CheckResult(.server, .good, code: "server_reached", message: "The identity platform answers.")
            return [reached, clock(answer.header("date"))]
        }
    }

    private static func unreachable(_ error: any Error) -> CheckResult {
        let code = (error as? HTTPSError)?.code ?? .unreachable
        switch code {
        case .untrusted, .invalidConfiguration, .invalidURL:
            return CheckResult(
                .server, .bad, code: "server_untrusted",
                message: "The identity platform's certificate is not accepted (\(code.rawValue)).",
                remedy: "Put its authority into trustRoots of batond.json.")
        case .unreachable, .timeout, .tooLarge:
            return CheckResult(
                .server, .bad, code: "server_unreachable",
                message: "The identity platform cannot be reached (\(code.rawValue)).",
                remedy: "Look at the network, the name's address (resolve) and the server.")
        }
    }

    private func clock(_ header: String?) -> CheckResult {
        guard let time = header.flatMap(HTTPDate.init) else {
            return CheckResult(
                .clock, .note, code: "clock_not_compared",
                message: "The identity platform does not say what time it is.")
        }
        let ahead = now() - time.seconds
        guard abs(ahead) > Self.tolerance else {
            return CheckResult(
                .clock, .good, code: "clock_agrees", message: "The device's clock agrees with the identity platform's.")
        }
        return CheckResult(
            .clock, .bad, code: "clock_wrong",
            message:
                "The device's clock is \(abs(ahead)) seconds \(ahead > 0 ? "ahead of" : "behind") the identity platform's.",
            remedy: "Set the clock of whichever is wrong.")
    }
}

/// A `Date` header (RFC 9110 section 5.6.7), the one form that servers must send.
package struct HTTPDate: Equatable {
    /// Seconds since 1970.
    package let seconds: Int

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    package init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]), (1...31).contains(day),
            let month = Self.months.firstIndex(of: String(parts[2])), let year = Int(parts[3]),
            (1970...9999).contains(year)
        else { return nil }
        let time = parts[4].split(separator: ":").map { Int($0) }
        guard time.count == 3, let hour = time[0], let minute = time[1], let second = time[2],
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        seconds = Self.days(year: year, month: month + 1, day: day) * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// Days since 1970-01-01 of a date of the Gregorian calendar; years begin in March, so that a leap day ends one.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}
