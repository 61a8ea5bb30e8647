import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import ServerHTTP

@Suite struct BodyBudgetTests {
    func isBusy(_ body: () throws -> Void) -> Bool {
        do { try body() } catch { return (error as? HTTPFailure)?.code == "server-busy" }
        return false
    }

    @Test func reservationIsReleasedOnce() throws {
        let budget = BodyBudget(bytes: 1_000, smallBody: 100)
        let one = try budget.reserve(60)
        do {
            let two = try budget.reserve(100)
            #expect(budget.bytesInFlight == 160)
            two.release()
            two.release()
            #expect(budget.bytesInFlight == 60)
            _ = try budget.reserve(50)
        }
        #expect(budget.bytesInFlight == 60)
        one.release()
        #expect(budget.bytesInFlight == 0)
    }

    @Test func largeBodiesLeaveAQuarterToSmallOnes() throws {
        let budget = BodyBudget(bytes: 1_000, smallBody: 100)
        let large = try budget.reserve(750)
        #expect(isBusy { _ = try budget.reserve(101) })
        let small = try budget.reserve(100)
        // A growing body is small up to the limit.
        #expect(isBusy { try small.grow(by: 1) })
        #expect(small.bytes == 100)
        let others = try (0..<3).map { _ in try budget.reserve(50) }
        #expect(budget.bytesInFlight == 1_000)
        #expect(isBusy { _ = try budget.reserve(1) })
        _ = (large, others)
    }

    @Test func reservationsBeyondTheBudgetAreRefused() {
        let budget = BodyBudget(bytes: 1_000, smallBody: 100)
        #expect(isBusy { _ = try budget.reserve(.max) })
        #expect(isBusy { _ = try budget.reserve(751) })
        #expect(budget.bytesInFlight == 0)
    }

    func request(_ chunks: [Int], length: String? = nil) -> Request {
        var head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")
        if let length { head.headerFields[.contentLength] = length }
        let stream = AsyncStream<ByteBuffer> { continuation in
            for count in chunks { continuation.yield(ByteBuffer(repeating: 1, count: count)) }
            continuation.finish()
        }
        return Request(head: head, body: RequestBody(asyncSequence: stream))
    }

    func failure(_ body: () async throws -> Void) async -> String? {
        do { try await body() } catch { return (error as? HTTPFailure)?.code ?? "\(error)" }
        return nil
    }

    @Test func bodyReservesItsBytes() async throws {
        let budget = BodyBudget(bytes: 1_000, smallBody: 100)
        let body = try await budget.collect(request([10, 20, 30]), upTo: 100)
        #expect(body.bytes.count == 60)
        #expect(budget.bytesInFlight == 60)
        body.reservation.release()
        #expect(budget.bytesInFlight == 0)
    }

    @Test func refusedBodyReleasesItsReservation() async throws {
        let budget = BodyBudget(bytes: 1_000, smallBody: 100)
        #expect(await failure { _ = try await budget.collect(request([60, 60]), upTo: 100) } == "body-too-large")
        #expect(
            await failure { _ = try await budget.collect(request([], length: "101"), upTo: 100) } == "body-too-large")
        #expect(await failure { _ = try await budget.collect(request([400, 400]), upTo: 2_000) } == "server-busy")
        #expect(
            await failure { _ = try await budget.collect(request([], length: "800"), upTo: 2_000) } == "server-busy")
        #expect(budget.bytesInFlight == 0)
    }

    @Test func smallDeclaredLengthReservesOnlyReceivedBytes() async throws {
        let budget = BodyBudget(bytes: 1_000, smallBody: 100)
        let body = try await budget.collect(request([1], length: "100"), upTo: 2_000)
        #expect(budget.bytesInFlight == 1)
        let large = try await budget.collect(request([1], length: "101"), upTo: 2_000)
        #expect(budget.bytesInFlight == 102)
        _ = (body, large)
    }
}
