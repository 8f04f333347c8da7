// SPDX-License-Identifier: Apache-2.0
import DeviceLine
import Testing

@Suite struct LineTests {
    @Test(arguments: [
        LineMessage.present(.init(standing: "live", hasCommands: true, keepAlive: 30)),
        .present(.init(standing: nil, hasCommands: false, keepAlive: 1)), .nudge, .alive,
    ])
    func `a message comes back as it was sent, in whatever pieces`(message: LineMessage) throws {
        var messages = LineMessages()
        let whole = try messages.take(message.bytes + message.bytes)
        #expect(whole == [message, message])
        var pieces: [LineMessage] = []
        for byte in message.bytes { pieces += try messages.take([byte]) }
        #expect(pieces == [message])
    }

    @Test func `a hello comes back as it was sent`() {
        for hello in [LineHello(question: nil), LineHello(question: "a.b.c")] {
            #expect(LineHello(bytes: hello.bytes) == hello)
        }
    }

    @Test(arguments: ["", "[]", #"{"question":1}"#, #"{"question":null}"#, "{", #"{"question":"a","question":"b"}"#])
    func `what is no hello is refused`(text: String) {
        #expect(LineHello(bytes: Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        "\n", "nudge\n", "{}\n", "[]\n", #"{"event":1}"# + "\n", #"{"event":"present"}"# + "\n",
        #"{"event":"present","commands":true,"keep_alive":0}"# + "\n",
        #"{"event":"present","commands":true,"keep_alive":99999}"# + "\n",
        #"{"event":"present","commands":1,"keep_alive":30}"# + "\n",
        String(repeating: "x", count: Line.maximumMessage + 1),
    ])
    func `what is no message ends the line`(text: String) {
        var messages = LineMessages()
        #expect(throws: LineFailure.self) { try messages.take(Array(text.utf8)) }
    }

    @Test func `an event of a later version is a sign of life`() throws {
        var messages = LineMessages()
        let later = try messages.take(Array((#"{"event":"later","more":[]}"# + "\n").utf8))
        #expect(later == [.unknown])
    }
}
