import AccessPolicy
import Core
import FHIR
import Foundation
import HTTPTypes
import Storage
import Synchronization
import Testing

@testable import FHIRHTTP
@testable import FHIRServer
@testable import RecordStorage

/// Limits on the data that one request stores: its size stays near that of the request.
@Suite struct WriteLimitTests {
    private func fixture() async throws -> RecordsFixture {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        return fixture
    }

    private func basic(_ bytes: Int) -> String {
        #"{"resourceType":"Basic","id":"n","code":{"text":"\#(String(repeating: "x", count: bytes))"}}"#
    }

    private func entry(_ method: String, url: String, resource: String) -> String {
        #"{"request":{"method":"\#(method)","url":"\#(url)"},"resource":\#(resource)}"#
    }

    private func asBinary(_ patch: String) -> String {
        let data = Data(patch.utf8).base64EncodedString()
        return #"{"resourceType":"Binary","contentType":"application/json-patch+json","data":"\#(data)"}"#
    }

    /// 900 copies of a long text in 47 KB, and other small patches with large results.
    @Test func patchIsLimitedToTheSizeOfAResource() async throws {
        let fixture = try await fixture()
        _ = try await fixture.send(.put, "/fhir/Basic/n", body: basic(900_000))
        let copies = (0..<900).map { #"{"op":"copy","from":"/code/text","path":"/e\#($0)"}"# }
        let five = "[" + copies.prefix(5).joined(separator: ",") + "]"
        func parameters(_ count: Int) -> String {
            let value = #"{"name":"value","valueString":"\#(String(repeating: "y", count: 700_000))"}"#
            let add = (0..<count).map {
                #"{"name":"operation","part":[{"name":"type","valueCode":"add"},{"name":"path","valueString":"Basic"},{"name":"name","valueString":"m\#($0)"},\#(value)]}"#
            }
            return #"{"resourceType":"Parameters","parameter":[\#(add.joined(separator: ","))]}"#
        }
        let merge = #"{"language":"\#(String(repeating: "z", count: 3_500_000))"}"#
        for (type, body, codes) in [
            ("application/json-patch+json", "[" + copies.joined(separator: ",") + "]", ["too-costly"]),
            ("application/json-patch+json", five, ["resource-too-large"]),
            ("application/merge-patch+json", merge, ["resource-too-large"]),
            ("application/fhir+json", parameters(5), ["resource-too-large"]),
        ] {
            let answer = try await fixture.send(.patch, "/fhir/Basic/n", body: body, headers: [.contentType: type])
            #expect(
                codes.contains(code(answer.json) ?? "") && [413, 422].contains(answer.status), "\(type) \(answer.json)")
        }
        // In a Bundle too, for all of its entries together.
        for kind in ["batch", "transaction"] {
            let bundle =
                #"{"resourceType":"Bundle","type":"\#(kind)","entry":[\#(entry("PATCH", url: "Basic/n", resource: asBinary(five)))]}"#
            let answer = try await fixture.send(.post, "/fhir", body: bundle)
            #expect("\(answer.json)".contains("resource-too-large"), "\(answer.json)")
        }
        #expect(try await fixture.send(.get, "/fhir/Basic/n").headers[.eTag] == "W/\"1\"")
        // A patch within the limit is applied.
        let three = "[" + copies.prefix(3).joined(separator: ",") + "]"
        let fitting = try await fixture.send(
            .patch, "/fhir/Basic/n", body: three, headers: [.contentType: "application/json-patch+json"])
        #expect(fitting.status == 200)
        try await fixture.close()
    }

    @Test func patchesOfABundleShareALimit() async throws {
        let fixture = try await fixture()
        for number in 0..<8 {
            _ = try await fixture.send(
                .put, "/fhir/Basic/n\(number)",
                body: basic(900_000).replacingOccurrences(of: #""n""#, with: #""n\#(number)""#))
        }
        let copies =
            #"[{"op":"copy","from":"/code/text","path":"/language"},{"op":"copy","from":"/code/text","path":"/implicitRules"}]"#
        let entries = (0..<8).map { entry("PATCH", url: "Basic/n\($0)", resource: asBinary(copies)) }.joined(
            separator: ",")
        let rows = try await fixture.rows
        let transaction = try await fixture.send(
            .post, "/fhir", body: #"{"resourceType":"Bundle","type":"transaction","entry":[\#(entries)]}"#)
        #expect(code(transaction.json) == "too-costly", "\(transaction.json)")
        #expect(try await fixture.rows == rows)
        let batch = try await fixture.send(
            .post, "/fhir", body: #"{"resourceType":"Bundle","type":"batch","entry":[\#(entries)]}"#)
        let statuses = batch.json["entry"]?.array?.compactMap { $0["response"]?["status"]?.string?.prefix(3) } ?? []
        #expect(statuses.first == "200" && statuses.last != "200" && statuses.count == 8, "\(statuses)")
        try await fixture.close()
    }

    /// Links of one byte that are replaced by forty.
    @Test func replacedLinksAreLimitedToTheSizeOfAResource() async throws {
        let fixture = try await fixture()
        let rows = try await fixture.rows
        let links = Array(repeating: #"{"reference":"u:"}"#, count: 150_000).joined(separator: ",")
        let list = #"{"resourceType":"Basic","author":{"reference":"u:"},"x":[\#(links)]}"#
        let bundle =
            #"{"resourceType":"Bundle","type":"transaction","entry":[{"fullUrl":"u:","request":{"method":"POST","url":"Patient"},"resource":{"resourceType":"Patient"}},\#(entry("POST", url: "Basic", resource: list))]}"#
        let answer = try await fixture.send(.post, "/fhir", body: bundle)
        #expect(
            answer.status == 413 && code(answer.json) == "resource-too-large",
            "\(answer.status) \(code(answer.json) ?? "")")
        #expect(try await fixture.rows == rows)
        try await fixture.close()
    }
}

/// Conditional writes search for their target without the writer's lock.
@Suite struct WriteLookupTests {
    /// An admission during which another writer writes for each prepared request.
    private final class Interfering: RecordAdmission {
        let begun = Mutex(0)
        private let interfere: @Sendable (Int) async throws -> Void

        init(_ interfere: @escaping @Sendable (Int) async throws -> Void) { self.interfere = interfere }

        func begin(at: Date) async -> any WriteAdmission {
            let count = begun.withLock { count in
                count += 1
                return count
            }
            do { try await interfere(count) } catch { Issue.record("\(error)") }
            return Admission()
        }

        struct Admission: WriteAdmission {
            func admit(_ resource: Resource, id: String) throws(RecordAdmissionError) -> AdmittedResource {
                AdmittedResource(resource)
            }

            func permit(_: Set<String>, type: String, id: String, in transaction: any SQLTransaction) throws {}
            func dataAdmission(of participant: String, in transaction: any SQLTransaction) throws -> DataAdmission {
                .admitted
            }
            func follow(_ changes: [RecordChange], submissionID: String, in transaction: any SQLTransaction) throws {}
        }
    }

    /// Finds the results of a search, and counts the calls; with a delay for a slow search.
    private final class Counting: RecordMatching {
        let calls = Mutex(0)
        private let time: Duration

        init(taking time: Duration = .zero) { self.time = time }

        func ids(
            ofType type: String, _ criteria: WriteRequest.Criteria, showing filter: RecordFilter, limit: Int, now: Date,
            in transaction: any SQLTransaction
        ) throws -> [String] {
            calls.withLock { $0 += 1 }
            let end = ContinuousClock.now + time
            while ContinuousClock.now < end {}
            return try SearchMatching().ids(
                ofType: type, criteria, showing: filter, limit: limit, now: now, in: transaction)
        }
    }

    private func write(
        _ fixture: RecordsFixture, matching: Counting, admission: Interfering?,
        limits: WriteLookup.Limits = .init()
    ) async throws -> Result<WriteOutcome, RecordsFailure> {
        var service = RecordsService(
            database: fixture.database, access: fixture.access, admission: admission, matching: matching,
            clock: { Date() })
        service.lookupLimits = limits
        let grant = try AccessGrant(
            client: "app", role: .practitioner, patients: .all, scopes: AccessScopes("user/*.cruds conf/V sens/*"))
        let resource = try Resource(Data(observation("x").utf8))
        do {
            return .success(
                try await service.write(
                    WriteRequest(
                        type: "Observation", destination: .newUnless([("identifier", "urn:x|x\\|v")]),
                        change: .create(resource)),
                    by: grant))
        } catch let failure as RecordsFailure { return .failure(failure) }
    }

    @Test func lookupIsNotRepeatedWithoutOtherWrites() async throws {
        let fixture = try await RecordsFixture()
        let matching = Counting(taking: .milliseconds(30))
        let admission = Interfering { _ in
            try await fixture.put(#"{"resourceType":"Basic","id":"other","code":{"text":"\#(UUID())"}}"#)
        }
        let outcome = try await write(fixture, matching: matching, admission: admission).get()
        #expect(outcome.kind == .created)
        #expect(matching.calls.withLock { $0 } == 1 && admission.begun.withLock { $0 } == 1)
        try await fixture.close()
    }

    /// Other writers of resources of the type do not block a write with a quick search.
    @Test func aQuickSearchIsRepeatedWhereOthersWrote() async throws {
        let fixture = try await RecordsFixture()
        let admission = Interfering { _ in try await fixture.put(observation("o\(UUID())")) }
        // A busy machine makes a quick search slow: here the limits are long.
        let limits = WriteLookup.Limits(maximumRepeated: .seconds(300), repeatingTime: .seconds(300))
        #expect(
            try await write(fixture, matching: Counting(), admission: admission, limits: limits).get().kind == .created)
        #expect(try await fixture.ids("/fhir/Observation").count == admission.begun.withLock { $0 } + 1)
        try await fixture.close()
    }

    @Test func slowSearchIsRepeatedFourTimes() async throws {
        let fixture = try await RecordsFixture()
        let admission = Interfering { _ in try await fixture.put(observation("o\(UUID())")) }
        let matching = Counting(taking: .milliseconds(30))
        guard case .failure(let failure) = try await write(fixture, matching: matching, admission: admission) else {
            Issue.record("It is written.")
            return
        }
        #expect(failure.status == .conflict && failure.code == "overtaken")
        #expect(matching.calls.withLock { $0 } == 5 && admission.begun.withLock { $0 } == 5)
        #expect(try await fixture.ids("/fhir/Observation").count == 5)
        try await fixture.close()
    }

    /// A resource that another writer creates between the search and the lock is found.
    @Test(arguments: [Duration.zero, .milliseconds(30)])
    func resourceWrittenAfterTheLookupIsFound(time: Duration) async throws {
        let fixture = try await RecordsFixture()
        let admission = Interfering { count in if count == 1 { try await fixture.put(observation("x")) } }
        let outcome = try await write(fixture, matching: Counting(taking: time), admission: admission).get()
        #expect(outcome.kind == .unchanged && outcome.id == "x")
        #expect(try await fixture.ids("/fhir/Observation") == ["x"])
        try await fixture.close()
    }

    /// Each kind of change of records is counted.
    @Test func changesAreCountedByType() async throws {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        func current() async throws -> RecordTypeChanges {
            try await fixture.database.read { try RecordTypeChanges(in: $0) }
        }
        var last = try await current()
        let steps: [(String, @Sendable () async throws -> Void)] = [
            ("put", { [fixture] in try await fixture.put(observation("a")) }),
            (
                "changed",
                { [fixture] in try await fixture.put(observation("a", code: "y"), at: Date().addingTimeInterval(1)) }
            ),
            ("deleted", { [fixture] in _ = try await fixture.send(.delete, "/fhir/Observation/a") }),
            (
                "created",
                { [fixture] in _ = try await fixture.send(.post, "/fhir/Observation", body: observation("b")) }
            ),
            (
                "participant",
                { [fixture] in
                    try await fixture.database.write { _ = try RecordStore().delete(about: "p1", keeping: [], in: $0) }
                }
            ),
        ]
        for (name, step) in steps {
            try await step()
            let seen = last
            let (own, other) = try await fixture.database.read { transaction in
                (
                    try seen.areCurrent(for: ["Observation"], in: transaction),
                    try seen.areCurrent(for: ["Patient"], in: transaction)
                )
            }
            #expect(!own && other, "\(name)")
            last = try await current()
        }
        let unchanged = last
        try await fixture.put(observation("z"))
        let put = try await current()
        try await fixture.put(observation("z"))
        #expect(try await fixture.database.read { try put.areCurrent(for: ["Observation"], in: $0) })
        #expect(put != unchanged)
        try await fixture.close()
    }
}
