// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import DeviceHTTPS
internal import DeviceSettings

/// Checks whether the identity platform can be reached, and whether its clock agrees with the device's.
struct ServerFindings: Sendable {
    let join: JoinRecord
    let https: any HTTPSending
    /// Seconds since 1970.
    let now: @Sendable () -> Int

    var all: [CheckResult] {
        get async {
            let url = "\(join.loginURL)/\(join.tenantID)/v2.0/.well-known/openid-configuration"
            let answer: HTTPSClient.Response
            do { answer = try await https.send(.init(method: "GET", url: url)) } catch {
                return [Self.unreachable(error)]
            }
            guard answer.status != 503 else {
                return [
                    CheckResult(
                        .server, .bad, code: "server_unavailable",
                        message: "The identity platform answers that it cannot serve at the moment.",
                        remedy: "Wait, then check again; look at the platform's log if this does not pass.")
                ]
            }
            guard answer.status == 200 else {
                return [
                    CheckResult(
                        .server, .bad, code: "server_refuses",
                        message: "The identity platform answers with status \(answer.status).",
                        remedy: "Look at the platform's log; the organisation may have been removed.")
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
                .server, .bad, code: CheckResult.serverUnreachable,
                message: "The identity platform cannot be reached (\(code.rawValue)).",
                remedy: "Check the network, the name's address (resolve) and the server.")
        }
    }

    private func clock(_ header: String?) -> CheckResult {
        guard let time = header.flatMap(HTTPDate.init) else {
            return CheckResult(
                .clock, .note, code: "clock_not_compared",
                message: "The identity platform does not report its time.")
        }
        let ahead = now() - time.seconds
        guard abs(ahead) > RegistrationStatus.tolerance else {
            return CheckResult(
                .clock, .good, code: "clock_agrees", message: "The device's clock agrees with the identity platform's.")
        }
        return CheckResult(
            .clock, .bad, code: "clock_wrong",
            message:
                "The device's clock is \(abs(ahead)) seconds \(ahead > 0 ? "ahead of" : "behind") the identity platform's.",
            remedy: "Correct the clock that is wrong.")
    }
}

extension CheckResult {
    /// The code of the finding that the identity platform does not answer.
    static let serverUnreachable = "server_unreachable"
}
