// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import BrowserHost
internal import Glibc
internal import Processes

/// The program that the worker's browser starts for Baton's extension. The browser adds arguments of its own, which the
/// program ignores.
@main
enum BatonBrowserHost {
    private static let usage = """
        OVERVIEW: Asks Baton's broker on behalf of the extension in the worker's browser.

        The browser starts this program (native messaging). The broker serves it only if the browser that baton-agent
        opened has started it.
        Exit codes: 0 the browser closed it; 1 a message that cannot be read; 64 wrong arguments.

        USAGE: baton-browser-host [--socket <path>] [--ready <path>] [--version] [--help]

          --socket <path>   The broker's socket (default: \(WellKnownPath.brokerSocket)).
          --ready <path>    A datagram socket that is told when the extension knows its addresses.

        """

    /// The parsed arguments.
    private struct Options {
        var socket = WellKnownPath.brokerSocket
        var ready: String?

        /// Reads the program's own options, up to the first argument of the browser. Returns nil if a path is missing
        /// or not absolute.
        init?(_ arguments: ArraySlice<String>) {
            var rest = arguments
            while let option = rest.first, ["--socket", "--ready"].contains(option) {
                guard let path = rest.dropFirst().first, path.hasPrefix("/") else { return nil }
                if option == "--socket" { socket = path } else { ready = path }
                rest = rest.dropFirst(2)
            }
        }
    }

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "--version": return print(BrokerVersion.current)
        case "--help", "-h": return print(usage)
        default: break
        }
        guard let options = Options(arguments) else {
            fail(64, "baton-browser-host: --socket and --ready need an absolute path. See --help.\n")
        }
        do { try OwnMemory.shut() } catch { fail(1, "baton-browser-host: cannot protect its memory (\(error)).\n") }
        _ = signal(SIGPIPE, SIG_IGN)
        let broker = BrokerClient(socket: options.socket, version: BrokerVersion.current)
        let number = unsafe getenv(BrowserProfile.numberName).map { unsafe String(cString: $0) } ?? ""
        let service = HostService(output: STDOUT_FILENO, readySocket: options.ready, browser: number) { question in
            Result { () throws(HostRefusal) in try broker.answer(question) }
        }
        exit(service.run(input: STDIN_FILENO) == .closed ? 0 : 1)
    }

    private static func fail(_ code: Int32, _ text: String) -> Never {
        _ = unsafe write(STDERR_FILENO, text, text.utf8.count)
        exit(code)
    }
}
