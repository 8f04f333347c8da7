// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
import BrokerSession
import Glibc
import Logging
internal import Observability
import Processes
import SessionIPC

/// The session process; only the supervisor starts it.
enum ServeSession {
    /// Serves until the supervisor ends the process. Exits with 1 if serving is impossible.
    static func run(_ arguments: SessionProcessArguments) {
        (LogFormat(rawValue: arguments.logFormat) ?? .text).bootstrap(
            level: Logger.Level(rawValue: arguments.logLevel) ?? .info)
        let logger = Logger(label: "batond.session")
        do {
            try Failpoint.check()
            OwnMemory.shareArenas()
            // The supervisor has raised its own limit of open files, and a child process inherits that limit. A
            // process that was started in another way must raise the limit here.
            OpenFileLimit.raise(to: ConnectionLimits.wantedFiles)
            try SessionProcessMain.run(platform: \.platform, logger: logger)
        } catch {
            logger.critical("the session process cannot serve", metadata: ["error": "\(error)"])
            exit(1)
        }
    }
}
