import FHIR
import Foundation
import HTTPTypes
import Storage
import TestSupport
import Testing

@testable import FHIRHTTP
@testable import FHIRServer
@testable import RecordStorage
@testable import ServerHTTP

/// The limit on the bytes of a response, for every kind of request.
@Suite struct AnswerBoundTests {
    /// Returns a fixture with twelve Observations of 10 kB; 32 kB hold three of them.
    private func fixture() async throws -> RecordsFixture {
        var fixture = try await RecordsFixture()
        fixture.answerBytes = 40_000
        try await fixture.addWriter()
        try await fixture.put(#"{"resourceType":"Patient","id":"p1"}"#)
        for number in 0..<12 {
            let text = String(repeating: "x", count: 10_000)
            try await fixture.put(
                observation("o\(number)").dropLast() + #","note":[{"text":"\#(text)"}]}"#,
                submission: "s\(number)")
        }
        return fixture
    }

    /// Returns the ids of all pages, and the number of entries of each page.
    private func pages(_ path: String, of fixture: RecordsFixture) async throws -> (ids: [String], counts: [Int]) {
        var (ids, counts): ([String], [Int]) = ([], [])
        var next: String? = "/fhir/" + path
        while let asked = next, counts.count < 50 {
            let (status, page) = try await fixture.get(asked)
            #expect(status == 200, "\(page)")
            let entries = page["entry"]?.array ?? []
            ids += entries.filter { $0["search"]?["mode"] != "include" }.compactMap { $0["resource"]?["id"]?.string }
            counts.append(entries.count)
            let url = page["link"]?.array?.first { $0["relation"] == "next" }?["url"]?.string
            next = url.flatMap { url in url.range(of: "/fhir").map { String(url[$0.lowerBound...]) } }
        }
        return (ids, counts)
    }

    private static let observations = (0..<12).map { "o\($0)" }

    @Test(arguments: [
        "Observation?_count=50", "Observation?subject=Patient/p1&_count=50",
        "Observation?_sort=-_lastUpdated&_count=50",
        "Observation?_elements=id&_count=50", "Observation?_summary=true&_count=50", "Observation?code=8867-4",
        "Patient/p1/Observation?_count=50", "Observation/_history?_count=50", "?_type=Observation&_count=50",
    ])
    func pageEndsEarlyAndTheNextOneContinues(path: String) async throws {
        let fixture = try await fixture()
        let (ids, counts) = try await pages(path, of: fixture)
        #expect(ids.sorted() == Self.observations.sorted(), "each once")
        #expect(counts == [3, 3, 3, 3])
        try await fixture.close()
    }

    @Test func aHistoryOfAResourceEndsEarly() async throws {
        let fixture = try await fixture()
        for number in 1..<9 {
            let text = String(repeating: "y", count: 10_000) + String(number)
            try await fixture.put(
                observation("o0").dropLast() + #","note":[{"text":"\#(text)"}]}"#,
                received: Date().addingTimeInterval(Double(number)), submission: "t\(number)")
        }
        let (ids, counts) = try await pages("Observation/o0/_history", of: fixture)
        #expect(ids == Array(repeating: "o0", count: 9) && counts == [3, 3, 3])
        try await fixture.close()
    }

    @Test func pageOfEverythingEndsAtTheByteLimit() async throws {
        let fixture = try await fixture()
        let (ids, counts) = try await pages("Patient/p1/$everything", of: fixture)
        #expect(ids == ["p1"] + Self.observations && counts.allSatisfy { $0 <= 4 } && counts.count >= 4)
        try await fixture.close()
    }

    @Test func includesShortenTheirPage() async throws {
        let fixture = try await fixture()
        let text = String(repeating: "z", count: 25_000)
        for number in 0..<3 {
            try await fixture.put(
                #"{"resourceType":"Patient","id":"q\#(number)","extension":[{"url":"urn:x","valueString":"\#(text)"}]}"#
            )
            try await fixture.put(observation("i\(number)", code: "1-8", subject: "q\(number)"))
        }
        let (ids, counts) = try await pages("Observation?code=1-8&_include=Observation:subject", of: fixture)
        #expect(ids == ["i0", "i1", "i2"] && counts == [2, 2, 2])
        try await fixture.close()
    }

    @Test func anEntryBeyondTheAllowanceIsTooCostly() async throws {
        let fixture = try await fixture()
        let entries = (0..<8).map { #"{"request":{"method":"GET","url":"Observation/o\#($0)"}}"# }
        func bundle(_ kind: String) -> String {
            #"{"resourceType":"Bundle","type":"\#(kind)","entry":[\#(entries.joined(separator: ","))]}"#
        }
        let answer = try await fixture.send(.post, "/fhir", body: bundle("batch"))
        let answered = answer.json["entry"]?.array ?? []
        #expect(answer.status == 200 && answered.count == 8)
        #expect(answered.prefix(3).allSatisfy { $0["resource"]?["id"] != nil })
        #expect(
            answered.dropFirst(3).allSatisfy {
                $0["resource"] == nil && $0["response"]?["status"]?.string?.hasPrefix("400") == true
                    && code($0["response"]?["outcome"] ?? .null) == "too-costly"
            })
        // A transaction fails with its first failing entry.
        let transaction = try await fixture.send(.post, "/fhir", body: bundle("transaction"))
        #expect(transaction.status == 400 && code(transaction.json) == "too-costly")
        try await fixture.close()
    }

    /// A page inside of a Bundle shares the Bundle's bytes.
    @Test func searchesOfABundleShareItsBytes() async throws {
        let fixture = try await fixture()
        let urls = ["Observation?_count=2", "Observation?_count=50", "Observation/o1", "Observation/_history"]
        let entries = urls.map { #"{"request":{"method":"GET","url":"\#($0)"}}"# }
        let bundle = #"{"resourceType":"Bundle","type":"batch","entry":[\#(entries.joined(separator: ","))]}"#
        let answered = try await fixture.send(.post, "/fhir", body: bundle).json["entry"]?.array ?? []
        let pages = answered.prefix(2).map { $0["resource"]?["entry"]?.array?.count }
        #expect(pages == [2, 1])
        #expect(answered[1]["resource"]?["link"]?[1]?["relation"] == "next")
        #expect(answered.dropFirst(2).allSatisfy { code($0["response"]?["outcome"] ?? .null) == "too-costly" })
        try await fixture.close()
    }

    @Test func writtenResourcesAreReturnedWithinTheAllowance() async throws {
        let fixture = try await fixture()
        let entries = (0..<6).map { number in
            let patch = Data(#"[{"op":"add","path":"/note/1","value":{"text":"new"}}]"#.utf8).base64EncodedString()
            return """
                {"request":{"method":"PATCH","url":"Observation/o\(number)"},"resource":{"resourceType":"Binary",\
                "contentType":"application/json-patch+json","data":"\(patch)"}}
                """
        }
        let bundle = #"{"resourceType":"Bundle","type":"batch","entry":[\#(entries.joined(separator: ","))]}"#
        let answer = try await fixture.send(
            .post, "/fhir", body: bundle,
            headers: [.contentType: "application/fhir+json", HTTPField.Name("Prefer")!: "return=representation"])
        let answered = answer.json["entry"]?.array ?? []
        #expect(answered.allSatisfy { $0["response"]?["status"]?.string?.hasPrefix("200") == true })
        #expect(answered.map { $0["resource"] != nil } == [true, true, true, false, false, false])
        try await fixture.close()
    }

    @Test func bytesThatATransactionReplacesAreLimited() async throws {
        let fixture = try await fixture()
        let patch = Data(#"[{"op":"remove","path":"/note"}]"#.utf8).base64EncodedString()
        let entries = (0..<12).map { number in
            """
            {"request":{"method":"PATCH","url":"Observation/o\(number)"},"resource":{"resourceType":"Binary",\
            "contentType":"application/json-patch+json","data":"\(patch)"}}
            """
        }
        let bundle = #"{"resourceType":"Bundle","type":"transaction","entry":[\#(entries.joined(separator: ","))]}"#
        let rows = try await fixture.rows
        let answer = try await fixture.send(.post, "/fhir", body: bundle)
        #expect(answer.status == 400 && code(answer.json) == "too-costly")
        #expect(try await fixture.rows == rows)
        try await fixture.close()
    }

    /// The same entries, one by one, in XML.
    @Test(arguments: ["Observation?_count=2", "Observation/_history?_count=2", "Observation?code=none"])
    func pageHasTheSameEntriesInXMLAndJSON(path: String) async throws {
        let fixture = try await fixture()
        let json = try await fixture.get("/fhir/" + path).1
        let answer = try await fixture.text("/fhir/\(path)&_format=xml")
        #expect(answer.status == 200 && answer.type?.hasPrefix("application/fhir+xml") == true)
        let read = try FHIRFormat.xml.resource(Data(answer.text.utf8))
        func shape(_ bundle: JSON) -> [String] {
            (bundle["entry"]?.array ?? []).map {
                "\($0["fullUrl"] ?? .null) \($0["resource"]?["meta"]?["versionId"] ?? .null) \($0["search"]?["mode"] ?? .null)"
            }
        }
        #expect(shape(read.json) == shape(json) && read.json["total"] == json["total"])
        try await fixture.close()
    }

    /// A record that is larger than the limit of a response, stored by an older version.
    @Test func aRecordThatIsTooLargeForAnAnswerIsTooCostly() async throws {
        var fixture = try await fixture()
        fixture.answerBytes = 5_000
        let (status, outcome) = try await fixture.get("/fhir/Observation")
        #expect(status == 400 && code(outcome) == "too-costly")
        try await fixture.close()
    }

    @Test(arguments: [
        ("storage-full", 507), ("storage-busy", 503), ("storage-failed", 500), ("storage-interrupted", 503),
    ])
    func theStoresErrorsHaveAStatus(code: String, status: Int) {
        let failure = RecordsFailure(StorageError(code: code, message: "m"))
        #expect(failure.status.code == status)
        #expect(status == 500 || failure.headers[.retryAfter] != nil)
    }

    @Test func writesAreRefusedWithoutDiskSpace() async throws {
        var fixture = try await fixture()
        fixture.hasRoom = false
        let rows = try await fixture.rows
        let answer = try await fixture.send(.put, "/fhir/Observation/new", body: observation("new"))
        #expect(answer.status == 507 && code(answer.json) == "storage-full" && answer.headers[.retryAfter] == "60")
        #expect(try await fixture.rows == rows)
        #expect(try await fixture.get("/fhir/Observation/o1").0 == 200)
        try await fixture.close()
    }

    @Test func bytesThatAnAppWritesPerPatientAndDayAreLimited() async throws {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        try await fixture.addGrant("other", scopes: "user/*.cruds conf/V sens/*")
        fixture.writtenBytesPerDay = 2_000
        var statuses: [Int] = []
        for number in 0..<8 {
            let answer = try await fixture.send(
                .put, "/fhir/Observation/o\(number)", body: observation("o\(number)"))
            statuses.append(answer.status)
            if answer.status != 201 {
                #expect(code(answer.json) == "write-quota" && answer.json["issue"]?[0]?["code"] == "throttled")
                #expect((Int(answer.headers[.retryAfter] ?? "") ?? 0) > 0)
            }
        }
        #expect(statuses.first == 201 && statuses.last == 429)
        #expect(
            try await fixture.get("/fhir/Observation?_summary=count").1["total"]?.number?.text
                == String(statuses.count { $0 == 201 }))
        // Another patient and another app have their own limits.
        let others = [("writer", "p2"), ("other", "p1")]
        for (number, (token, patient)) in others.enumerated() {
            let answer = try await fixture.send(
                .put, "/fhir/Observation/n\(number)", body: observation("n\(number)", subject: patient), token: token)
            #expect(answer.status == 201)
        }
        // A transaction counts as a whole, and a refused one does not count.
        let entries = (0..<4).map { number in
            let body = observation("t\(number)", subject: "p3")
            return #"{"request":{"method":"PUT","url":"Observation/t\#(number)"},"resource":\#(body)}"#
        }
        func transaction(_ count: Int) async throws -> Int {
            let some = entries.prefix(count).joined(separator: ",")
            return try await fixture.send(
                .post, "/fhir", body: #"{"resourceType":"Bundle","type":"transaction","entry":[\#(some)]}"#
            ).status
        }
        fixture.writtenBytesPerDay = 1_000
        #expect(try await transaction(4) == 429)
        #expect(try await transaction(2) == 200)
        try await fixture.close()
    }
}

/// The bytes of all responses in memory.
@Suite(.timeLimit(.minutes(10))) struct AnswerBudgetTests {
    private static let first = AnswerBudget.first

    @Test func callerIsLimitedToAQuarterOfTheBudget() async throws {
        let budget = AnswerBudget(bytes: 16 * Self.first, patience: .milliseconds(20))
        var held: [AnswerReservation] = []
        for _ in 0..<4 { held.append(try await budget.reserve(for: "a")) }
        await #expect(throws: AnswerBudget.Busy.self) { try await budget.reserve(for: "a") }
        // Other callers do not wait.
        let other = try await budget.reserve(for: "b")
        #expect(other.grow(to: 4 * Self.first) && !other.grow(to: 5 * Self.first))
        held.removeAll()
        #expect(budget.bytesInFlight == 4 * Self.first)
        other.shrink(to: 10)
        #expect(budget.bytesInFlight == 10)
    }

    @Test func largeAnswersLeaveRoomForSmallOnes() async throws {
        let budget = AnswerBudget(bytes: 16 * Self.first, patience: .milliseconds(20))
        var held: [AnswerReservation] = []
        for caller in ["a", "b", "c"] {
            let reservation = try await budget.reserve(for: caller)
            #expect(reservation.grow(to: 4 * Self.first))
            held.append(reservation)
        }
        let small = try await budget.reserve(for: "d")
        #expect(!small.grow(to: 2 * Self.first))
        #expect(budget.bytesInFlight == 13 * Self.first && held.count == 3)
    }

    @Test func waitingCallersAreServedInOrderAndACancelledWaitEnds() async throws {
        let budget = AnswerBudget(bytes: 4 * Self.first, patience: .seconds(Patience.seconds))
        var held: AnswerReservation? = try await budget.reserve(for: "a")
        let cancelled = _Concurrency.Task { try await budget.reserve(for: "a") }
        let granted = _Concurrency.Task { try await budget.reserve(for: "a") }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(held != nil)
        held = nil
        let reservation = try await granted.value
        #expect(budget.bytesInFlight == Self.first)
        withExtendedLifetime(reservation) {}
    }

    /// An unused body, such as that of HEAD, releases its bytes.
    @Test func unusedResponseReleasesItsBytes() async throws {
        let budget = AnswerBudget()
        do {
            var writer = AnswerWriter()
            for _ in 0..<10 { writer.append { $0.append(contentsOf: [UInt8](repeating: 65, count: 100_000)) } }
            let reservation = try await budget.reserve(for: "a")
            let bytes = writer.finish(reservation)
            #expect(bytes.count == 1_000_000 && reservation.bytes == 1_000_000)
            _ = bytes.response(mediaType: "text/plain").createHeadResponse()
        }
        #expect(budget.bytesInFlight == 0)
    }
}
