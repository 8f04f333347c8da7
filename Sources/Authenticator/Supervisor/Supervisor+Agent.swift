// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Logging
internal import Processes

extension Supervisor {
    func openBrowser(_ epoch: Epoch, _ url: String) {
        guard let agent else {
            tell(.browserEnded(.agentMissing))
            return
        }
        agent.open(epoch, url)
    }

    func agentConnected(_ link: AgentLink) throws {
        // One session, one agent: the newer one is the session's, an older one that still hangs on is cut off.
        if let former = agent {
            former.end()
            // With its agent the browser of a sign-in went, too.
            tell(.browserEnded(.agentMissing))
        }
        agent = link
        logger.info("agent connected")
        try handle(.agentArrived)
    }

    func agentLost() {
        agent = nil
        logger.info("agent lost")
        tell(.browserEnded(.agentMissing))
    }

    func agentSaid(_ message: AgentMessage) throws {
        switch message {
        case .hello, .opened: break
        case .failed(let id, let code, _):
            guard id == visitEpoch?.counter else { return }
            logger.error("the browser did not start", metadata: ["error.code": "\(code)"])
            tell(.browserEnded(.couldNotOpen))
        case .browserExited(let epoch): if epoch == visitEpoch?.id { tell(.browserEnded(.closedByPerson)) }
        case .closed(let epoch):
            guard case .signingOut(let clearing) = machine.state, clearing.ended.id == epoch else { return }
            try handle(.itemCleared(.browser, clearing.ended))
        case .closeFailed(let epoch, let code, _):
            guard case .signingOut(let clearing) = machine.state, clearing.ended.id == epoch else { return }
            logger.error("the browser is not gone, trying again", metadata: ["error.code": "\(code)"])
            inputs.post(.retryBrowser(clearing.ended), afterSeconds: 1)
        }
    }

    func closeBrowserAgain(_ ended: Epoch) {
        guard case .signingOut(let clearing) = machine.state, clearing.ended == ended else { return }
        agent?.close(ended)
    }

    private var visitEpoch: Epoch? {
        switch machine.state {
        case .visiting(let visit, _), .signedIn(let visit): visit.epoch
        case .ready, .signingOut: nil
        }
    }
}
