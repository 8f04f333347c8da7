// SPDX-License-Identifier: Apache-2.0
import BrokerSupervisor
internal import Processes
import ServiceLifecycle
import UnixSignals

/// Reports SIGHUP to the supervisor: an upgrade asks for a restart as soon as nobody holds the device.
struct RestartSignal: Service {
    let inputs: Mailbox<SupervisorInput>

    func run() async {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            inputs.post(.restartWanted)
        }
    }
}
