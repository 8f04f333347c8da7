// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import Redaction
import TestSupport
import Testing

/// Tests that a stranger cannot find out from the sign-in page who has an account.
@Suite(.serialized) struct SignInEnumerationTests {
    private enum Kind: CaseIterable { case mistaken, unknown, disabled }

    private static let names: [Kind: String] = [
        .mistaken: "amara@contoso.test", .unknown: "nobod@contoso.test", .disabled: "chidi@contoso.test",
    ]

    private struct Attempt {
        let answer: TestResponse
        let seconds: Double
    }

    /// Returns a platform on which Chidi's account is disabled. A hash takes some milliseconds, so that a missing hash
    /// can be measured.
    private static func fixture() async throws -> TestPlatform {
        let fixture = try await TestPlatform {
            $0.passwordCost = PasswordCost(logarithm: 10, blockSize: 8, parallelism: 1) ?? .minimal
        }
        _ = try await fixture.administration.users.add(
            "chidi@contoso.test", profile: User.Profile(displayName: "Chidi"), password: .init(TestPlatform.password),
            isEnabled: false, tenant: fixture.tenant)
        return fixture
    }

    /// Makes one wrong guess or, for the disabled account, enters the correct password. Advances the clock, so that the
    /// attempt is not throttled.
    private static func attempt(_ kind: Kind, _ fixture: TestPlatform, _ browser: Browser, _ page: TestResponse)
        async throws
        -> Attempt
    {
        fixture.clock.advance(by: .seconds(301))
        let password = kind == .disabled ? TestPlatform.password : "a wrong password...."
        let clock = ContinuousClock()
        let begin = clock.now
        let answer = try await browser.submit(page, username: try #require(names[kind]), password: password)
        return Attempt(answer: answer, seconds: (clock.now - begin) / .seconds(1))
    }

    @Test func `the page is the same for a wrong password, an unknown name and a disabled account, byte for byte`()
        async throws
    {
        let fixture = try await Self.fixture()
        let browser = Browser(fixture)
        let page = try await browser.get(AuthorizeQuery(fixture).path)
        var said: Set<String> = []
        for kind in Kind.allCases {
            let answer = try await Self.attempt(kind, fixture, browser, page).answer
            // Every answer has a random id of its own.
            let headers = answer.headers.map { "\($0.name): \($0.value)" }
                .filter { !$0.lowercased().hasPrefix("x-ms-request-id: ") }.sorted().joined(separator: "\n")
            let name = try #require(Self.names[kind])
            #expect(answer.text.contains(name))
            said.insert("\(answer.status)\n\(headers)\n\(answer.text.replacing(name, with: "?"))")
        }
        #expect(said.count == 1)
    }

    /// Makes 40 attempts of each kind in a random order, so that other load on the machine affects every kind alike. A
    /// kind is distinguishable if the rank test finds a difference at α = 10⁻⁹ and the medians differ by at least a
    /// quarter of a hash. So the test does not fail by chance or because of a few microseconds, but it fails if a hash
    /// is missing or extra.
    @Test func `the response time does not distinguish a wrong password, an unknown name and a disabled account`()
        async throws
    {
        let fixture = try await Self.fixture()
        let browser = Browser(fixture)
        let page = try await browser.get(AuthorizeQuery(fixture).path)
        for kind in Kind.allCases { _ = try await Self.attempt(kind, fixture, browser, page) }
        let hash = fixture.platform.configuration.passwordCost.rounds
        var seconds: [Kind: [Double]] = [:]
        for _ in 1...40 {
            for kind in Kind.allCases.shuffled() {
                let before = fixture.platform.hashing.done
                seconds[kind, default: []].append(try await Self.attempt(kind, fixture, browser, page).seconds)
                #expect(fixture.platform.hashing.done == before + hash, "\(kind)")
            }
        }
        let mistaken = try #require(seconds[.mistaken])
        for kind in [Kind.unknown, .disabled] {
            let other = try #require(seconds[kind])
            #expect(!Self.isTold(other, from: mistaken), "\(kind): z = \(MannWhitney(mistaken, other).z)")
        }
        // Checks that the test would detect a difference: an answer without a hash takes almost no time.
        #expect(Self.isTold(mistaken.map { $0 / 10 }, from: mistaken))
        #expect(Self.isTold(mistaken.map { $0 * 10 }, from: mistaken))
    }

    /// Whether the medians of two samples differ by more than a quarter of a hash, and the rank test would find their
    /// difference by chance with a probability below 10⁻⁹.
    private static func isTold(_ sample: [Double], from other: [Double]) -> Bool {
        let (median, usual) = (self.median(sample), self.median(other))
        return MannWhitney(sample, other).probability < 1e-9 && abs(median - usual) > usual / 4
    }

    private static func median(_ sample: [Double]) -> Double { sample.sorted()[sample.count / 2] }
}
