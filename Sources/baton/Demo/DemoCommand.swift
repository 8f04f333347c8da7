// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
struct DemoCommand: AsyncParsableCommand { static let configuration = CommandConfiguration(commandName: "demo") }
