// SPDX-License-Identifier: Apache-2.0
import PushProtocol
import Testing

@Suite struct PushMessageTests {
    @Test(arguments: [
        PushMessage.present(.init(status: "live", hasCommands: true, keepAlive: 30)),
        .present(.init(status: nil, hasCommands: false, keepAlive: 1)), .nudge, .alive,
    ])
    func `a message is decoded as it was encoded, in whatever pieces it arrives`(message: PushMessage) throws {
        var messages = PushMessageReader()
        let whole = try messages.take(message.bytes + message.bytes)
        #expect(whole == [message, message])
        var pieces: [PushMessage] = []
        for byte in message.bytes { pieces += try messages.take([byte]) }
        #expect(pieces == [message])
    }

    @Test func `a hello is decoded as it was encoded`() {
        for hello in [PushHello(question: nil), PushHello(question: "a.b.c")] {
            #expect(PushHello(bytes: hello.bytes) == hello)
        }
    }

    @Test(arguments: ["", "[]", #"{"question":1}"#, #"{"question":null}"#, "{", #"{"question":"a","question":"b"}"#])
    func `a malformed hello is refused`(text: String) {
        #expect(PushHello(bytes: Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        "\n", "nudge\n", "{}\n", "[]\n", #"{"event":1}"# + "\n", #"{"event":"present"}"# + "\n",
        #"{"event":"present","commands":true,"keep_alive":0}"# + "\n",
        #"{"event":"present","commands":true,"keep_alive":99999}"# + "\n",
        #"{"event":"present","commands":1,"keep_alive":30}"# + "\n",
        String(repeating: "x", count: PushChannel.maximumMessage + 1),
    ])
    func `a malformed message ends the channel`(text: String) {
        var messages = PushMessageReader()
        #expect(throws: PushProtocolError.self) { try messages.take(Array(text.utf8)) }
    }

    @Test func `an event of a later version counts as a sign of life`() throws {
        var messages = PushMessageReader()
        let later = try messages.take(Array((#"{"event":"later","more":[]}"# + "\n").utf8))
        #expect(later == [.unknown])
    }
}
