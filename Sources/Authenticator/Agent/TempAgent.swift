package enum AgentOrder: Sendable, Codable, Equatable { case open(id: UInt64, epoch: String, url: String); case close(epoch: String) }
package enum AgentMessage: Sendable, Codable, Equatable { case hello(version: Int); case opened(id: UInt64); case failed(id: UInt64, code: String, message: String); case browserExited(epoch: String); case closed(epoch: String) }
