// SPDX-License-Identifier: Apache-2.0
internal import Logging

extension Supervisor {
    /// Writes down what became of every trace, before the device is ready. After a crash it is asked again for the same
    /// ended epoch.
    func writeReceipt(_ handOver: HandOver) throws {
        logger.info(
            "handed over",
            metadata: [
                "session.door": "\(handOver.door?.rawValue ?? "-")",
                "session.items": "\(handOver.items.map { "\($0.name)=\($0.result.rawValue)" }.joined(separator: " "))",
            ])
    }
}
