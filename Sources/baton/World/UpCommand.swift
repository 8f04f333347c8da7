// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
struct UpCommand: AsyncParsableCommand { static let configuration = CommandConfiguration(commandName: "up") }
