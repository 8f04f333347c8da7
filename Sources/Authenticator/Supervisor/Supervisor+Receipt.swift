// SPDX-License-Identifier: Apache-2.0

extension Supervisor {
    /// Writes down what became of every trace, before the device is ready. After a crash it is asked again for the same
    /// ended epoch.
    func writeReceipt(_ handover: Handover) throws {
        try receipts.write(handover, join: join)
        // Everything of the worker is gone by now. A copy of the state that does not know this receipt is an older one.
        try epochCount?.advance()
        tellWatch()
    }
}
