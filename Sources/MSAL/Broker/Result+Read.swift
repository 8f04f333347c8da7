// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

extension Result<FlatMap, LinkFailure> {
    /// Reads a response that reports success and the device's mode; any other content is a fault.
    func read<Value>(
        silent: Bool = false, _ body: (FlatMap, DeviceInfo) throws(BrokerError) -> Value
    ) -> Result<Value, Fault> {
        switch self {
        case .failure(.refused(let error)): return .failure(silent ? Fault(silent: error) : Fault(broker: error))
        case .failure(let failure): return .failure(Fault(link: failure))
        case .success(let map):
            do throws(BrokerError) {
                guard map.flag(.success, default: false) else {
                    throw BrokerError(.internal, "The broker's answer does not report success. Update the broker.")
                }
                return .success(try body(map, try DeviceInfo(map)))
            } catch {
                return .failure(Fault(unreadable: error))
            }
        }
    }
}
