import NIOCore
import TestSupport
import Testing

@testable import ServerHTTP

@Suite struct ConnectionDeadlineTests {
    static let limits: HTTPLimits = {
        var limits = HTTPLimits()
        limits.idle = .seconds(30)
        limits.header = .seconds(10)
        limits.body = .seconds(100)
        limits.answer = .seconds(50)
        limits.drain = .seconds(2)
        limits.request = .seconds(120)
        return limits
    }()

    static func at(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    func after(_ events: [(Int64, ConnectionDeadline.Event)]) -> String {
        var deadline = ConnectionDeadline(Self.limits, now: Self.at(0))
        for (time, event) in events { deadline.handle(event, now: Self.at(time)) }
        let next = deadline.next
        return "\(next.limit) \(next.by.uptimeNanoseconds / 1_000_000_000)"
    }

    @Test func silenceIsTimedFromTheStartAndFromTheLastAnswer() {
        #expect(after([]) == "idle 30")
        #expect(after([(1, .bytes), (1, .head), (1, .end), (5, .answered)]) == "idle 35")
    }

    @Test func headIsTimedFromItsFirstByte() {
        #expect(after([(5, .bytes)]) == "header 15")
        #expect(after([(5, .bytes), (9, .bytes), (14, .bytes)]) == "header 15")
        #expect(after([(1, .bytes), (1, .head), (1, .end), (5, .answered), (20, .bytes), (25, .bytes)]) == "header 30")
    }

    @Test func bodyIsTimedFromItsHead() {
        #expect(after([(5, .bytes), (6, .head)]) == "body 106")
        #expect(after([(5, .bytes), (6, .head), (60, .bytes), (90, .bytes)]) == "body 106")
    }

    @Test func anAnswerIsTimedFromTheEndOfTheRequest() {
        #expect(after([(5, .bytes), (6, .head), (20, .end)]) == "answer 70")
        #expect(after([(5, .bytes), (6, .head), (20, .end), (60, .bytes)]) == "answer 70")
    }

    @Test func aRequestIsTimedInAll() {
        #expect(after([(5, .bytes), (6, .head), (90, .end)]) == "request 125")
    }

    @Test func bodyAfterAnEarlyResponseHasAShortDeadline() {
        #expect(after([(5, .bytes), (6, .head), (7, .answered)]) == "drain 9")
        #expect(after([(5, .bytes), (6, .head), (7, .answered), (8, .bytes)]) == "drain 9")
        // It never extends the remaining time of the body.
        #expect(after([(5, .bytes), (6, .head), (105, .answered)]) == "drain 106")
        #expect(after([(5, .bytes), (6, .head), (7, .answered), (8, .end)]) == "idle 38")
    }

    @Test func pipelinedRequestsAreTimedToo() {
        #expect(after([(1, .bytes), (1, .head), (1, .end), (2, .head), (2, .end)]) == "answer 51")
        #expect(after([(1, .bytes), (1, .head), (1, .end), (2, .head), (2, .end), (9, .answered)]) == "answer 59")
        #expect(after([(1, .bytes), (1, .head), (1, .end), (2, .head), (9, .answered)]) == "body 102")
    }

    @Test func noOrderOfEventsLeavesAConnectionUntimed() {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        for _ in 0..<2_000 {
            var deadline = ConnectionDeadline(Self.limits, now: Self.at(0))
            var time: Int64 = 0
            for _ in 0..<30 {
                time += Int64.random(in: 0...3, using: &generator)
                guard let event = ConnectionDeadline.Event.allCases.randomElement(using: &generator) else { continue }
                deadline.handle(event, now: Self.at(time))
                #expect(deadline.next.by <= Self.at(time + 120), "seed \(seed)")
            }
            // Bytes alone never extend a running deadline, except for the start of a request head.
            deadline.handle(.bytes, now: Self.at(time))
            let before = deadline.next.by
            for second in 1...9 { deadline.handle(.bytes, now: Self.at(time + Int64(second))) }
            #expect(deadline.next.by == before, "seed \(seed)")
        }
    }
}
