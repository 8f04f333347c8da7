// SPDX-License-Identifier: Apache-2.0
import JSON
import Logging
import Observability
import Synchronization
import Testing

@Suite struct JSONLogTests {
    /// Logs one message at a fixed time and returns the line without its line feed.
    private func line(
        _ metadata: Logger.Metadata, own: Logger.Metadata = [:], _ message: Logger.Message = "refused",
        at time: Int64 = 1_795_000_000_007
    ) throws -> String {
        let lines = Lines()
        var handler = JSONLogHandler(now: { time }, write: { lines.add($0) })
        handler.metadata = own
        let logger = Logger(label: "test") { _ in handler }
        logger.info(message, metadata: metadata)
        let all = lines.all
        #expect(all.count == 1 && all[0].last == 10 && all[0].dropLast().allSatisfy { $0 != 10 })
        return String(decoding: all[0].dropLast(), as: UTF8.self)
    }

    @Test func `a line has stable keys in a fixed order`() throws {
        #expect(
            try line(["oauth.number": "50126", "oauth.detail": "-", "request.id": "7f2c", "hb.request.id": "12"])
                == """
                {"time":"2026-11-18T11:06:40.007Z","level":"info","code":"50126","message":"refused","request":"7f2c",\
                "values":{"oauth.detail":"-"}}
                """)
    }

    @Test func `a line without code, request or values omits them`() throws {
        #expect(
            try line([:], "ready") == #"{"time":"2026-11-18T11:06:40.007Z","level":"info","message":"ready"}"#)
    }

    @Test func `the server's own number identifies a request without an id`() throws {
        #expect(try line([:], own: ["hb.request.id": "12"]).contains(#""request":"12""#))
    }

    @Test func `line feeds, quotes and long values cannot break a line`() throws {
        let text = try line(["error": "a\n\"b\"\u{0}\u{2028}\(String(repeating: "x", count: 100_000))"])
        let value = try JSONReader.read(Array(text.utf8), limits: JSONLimits(bytes: 1 << 20))
        #expect(value.object?["level"]?.string == "info")
        #expect(text.utf8.count < JSONLogHandler.limit + 500)
    }

    @Test(arguments: [
        (Int64(0), "1970-01-01T00:00:00.000Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_800_000, "2000-03-01T00:00:00.000Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (1_767_225_599_000, "2025-12-31T23:59:59.000Z"),
    ])
    func `times are in UTC`(time: Int64, text: String) throws {
        #expect(try line([:], at: time).hasPrefix(#"{"time":"\#(text)","#))
    }

    private final class Lines: Sendable {
        private let lines = Mutex<[[UInt8]]>([])
        var all: [[UInt8]] { lines.withLock { $0 } }
        func add(_ line: [UInt8]) { lines.withLock { $0.append(line) } }
    }
}
