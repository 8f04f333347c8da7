// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
internal import BrokerIPC
internal import BrokerProtocol
internal import Glibc
internal import Processes

/// Opens a page in the worker's browser.
struct BrowserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browser",
        abstract: "Open a page in the browser of the worker who is signed in.",
        discussion: """
            Without an address the home page opens. The browser is signed in with the device at the addresses that the \
            single sign-on profile lists, and ends with the session. Other users of the machine see the arguments of \
            this command while it runs: give - to read an address from standard input.

            The command ends when baton-agent has been ordered to open the page. It does not wait for the browser: if that \
            does not start or ends at once, the logs of batond and baton-agent say so.
            """)

    @Argument(help: ArgumentHelp("The page's address, or - to read it from standard input.", valueName: "url"))
    var address: String?
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.run({ try await open() }, done: "baton-agent was ordered to open the page.")
    }

    private func open() async throws {
        let wanted = address == "-" ? readLine() ?? "" : address
        let broker = BrokerExchange(
            socket: device.folder + "/broker.sock", name: "baton", version: BrokerVersion.current)
        let outcome: Result<FlatMap, BrokerError>
        do {
            outcome = try await blocking {
                try broker.ask(.openPage, FlatMap(wanted.map { [Key.pageAddress: $0] } ?? [:]))
            }
        } catch {
            throw CommandFailure(
                code: "broker_unreachable", message: "The broker does not answer.",
                remedy: "Start batond, or name its folder with --runtime-directory.", exitCode: ExitCode(69))
        }
        if case .failure(let error) = outcome {
            throw CommandFailure(
                code: error.reason?.rawValue ?? "broker_\(error.code.rawValue)", message: error.message,
                remedy: "See baton device status for the state of this device.")
        }
    }
}
