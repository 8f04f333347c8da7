// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
internal import BrokerIPC
internal import BrokerProtocol
import CommandLineInterface
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

            The command ends when the browser shows the page, or with an error if it does not: page_not_shown if the \
            browser cannot be started or ends before that, page_unconfirmed if the browser does not say in time that it \
            shows the page.
            """)

    @Argument(help: ArgumentHelp("The page's address, or - to read it from standard input.", valueName: "url"))
    var address: String?
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.run({ try await open() }, done: "The browser shows the page.")
    }

    private func open() async throws {
        let wanted = address == "-" ? try InputLine.read() ?? "" : address
        let broker = BrokerExchange(
            socket: device.folder + "/broker.sock", name: "baton", version: BrokerVersion.current)
        let outcome: Result<FlatMap, BrokerError>
        do {
            outcome = try await blocking { try broker.openPage(wanted) }
        } catch BrokerExchange.Unanswered.ended {
            throw CommandFailure(
                code: "page_not_shown",
                message: "The session has ended, or batond has stopped, before the page was shown.",
                remedy: "Sign in, then open the page again.")
        } catch BrokerExchange.Unanswered.late {
            throw CommandFailure(
                code: "page_unconfirmed", message: "The broker does not say whether the page is shown.",
                remedy: "See baton device status for the state of this device.")
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
