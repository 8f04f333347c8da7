// SPDX-License-Identifier: Apache-2.0
import Processes
import TestSupport
import Testing

/// The temporary folders of tests.
@Suite struct ScratchTests {
    @Test func `a program that was just written can be started while other threads start programs`() async throws {
        try await Scratch.with { scratch in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        try await blocking {
                            for round in 0..<50 {
                                let program = try scratch.writeProgram("#!/bin/true\n", to: "\(number).\(round)")
                                let child = try ChildProcess.spawn(
                                    executable: program, arguments: [], environment: [:])
                                #expect(try child.waitForExit().isSuccess)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
