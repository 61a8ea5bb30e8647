import Foundation
import Hummingbird
import Storage
import Submissions
import Synchronization
import Testing
import Wire

@testable import Receiver

@Suite(.timeLimit(.minutes(10)))
struct SubmissionTests {
    @Test func sealedSubmissionIsStoredUnchanged() async throws {
        try await Study.with { study in
            let device = try await study.device()
            let submissionID = UUID()
            let bytes = try envelope(submissionID, sequence: 7)
            let answer = try await study.send("PUT", "/c3pro/fhirenc/Patient/p-1", token: device.token, body: bytes)
            #expect(answer.status == 200 && answer.submission == submissionID.uuidString.lowercased())
            let leased = try await study.queue.lease(
                owner: "o", limit: 9, duration: 9, now: study.clock.now, isIdle: true)
            let stored = try #require(leased.first)
            #expect(leased.count == 1 && stored.body == bytes && stored.format == .jwe && stored.sequence == 7)
            #expect(stored.submissionID == submissionID.uuidString.lowercased() && stored.clientID == device.id)
            // The queue must not know the ids of resources.
            #expect(stored.resourceTypeHint == "Patient")
        }
    }

    @Test func repeatedSubmissionIsAcceptedAndOtherBytesConflict() async throws {
        try await Study.with { study in
            let device = try await study.device()
            let submissionID = UUID()
            let bytes = try envelope(submissionID)
            for _ in 0..<3 {
                #expect(try await study.send("POST", "/encfhir", token: device.token, body: bytes).status == 200)
            }
            let other = try await study.send("POST", "/encfhir", token: device.token, body: envelope(submissionID))
            #expect(other.status == 409 && other.problemCode == "submission-conflict")
            #expect(other.header("Content-Type") == "application/problem+json")
            #expect(other.submission == submissionID.uuidString.lowercased())
            // Another device may use the same id.
            let second = try await study.device()
            #expect(
                try await study.send("POST", "/encfhir", token: second.token, body: envelope(submissionID)).status
                    == 200)
            #expect(try await study.queue.status(now: study.clock.now).depth == 2)
        }
    }

    @Test func c3proEnvelopeIsIdentifiedByItsMessage() async throws {
        try await Study.with { study in
            let device = try await study.device()
            let path = "/c3pro/encfhir/QuestionnaireResponse"
            // C3-PRO's apps know only the empty response.
            let first = try await study.send("POST", path, token: device.token, body: c3proEnvelope())
            #expect(first.status == 200 && first.body.isEmpty)
            // A newly wrapped key makes another envelope of the same message.
            let again = try await study.send("POST", path, token: device.token, body: c3proEnvelope(key: "b3RoZXI="))
            #expect(again.status == 200)
            #expect(
                try await study.send("POST", path, token: device.token, body: c3proEnvelope(message: "b3RoZXI=")).status
                    == 200)
            let leased = try await study.queue.lease(
                owner: "o", limit: 9, duration: 9, now: study.clock.now, isIdle: true)
            #expect(leased.count == 2 && leased.allSatisfy { $0.format == .c3pro })
            for submission in leased {
                #expect(UUID(uuidString: submission.submissionID) != nil)
                #expect(Array(submission.submissionID)[14] == "8")
            }
        }
    }

    @Test func c3proIsRefusedIfTheStudyDoesNotAcceptIt() async throws {
        try await Study.with(changing(\.acceptC3PRO, false)) { study in
            let device = try await study.device()
            let answer = try await study.send("POST", "/encfhir", token: device.token, body: c3proEnvelope())
            #expect(answer.status == 422 && answer.problemCode == "c3pro-not-accepted")
        }
    }

    @Test func badEnvelopesAreRefusedWithoutAnEcho() async throws {
        try await Study.with { study in
            let device = try await study.device()
            let good = try #require(try JSONSerialization.jsonObject(with: envelope()) as? [String: Any])
            func changed(_ change: (inout [String: Any]) -> Void) throws -> String {
                var copy = good
                change(&copy)
                return String(decoding: try JSONSerialization.data(withJSONObject: copy), as: UTF8.self)
            }
            func protected(_ header: String) throws -> String {
                try changed {
                    $0["protected"] = Data(header.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
                }
            }
            let cases: [(body: String, status: Int)] = [
                ("", 400), ("planted-health-data", 400), ("[]", 400), ("{}", 400), ("null", 400),
                (#"{"resourceType":"Observation","note":"planted-health-data"}"#, 400),
                (#"{"message":"planted-health-data","symmetric_key":"a","key_id":""}"#, 400),
                (#"{"message":1,"symmetric_key":"a","key_id":"","version":"1"}"#, 400),
                (try changed { $0["recipients"] = [] }, 400),
                (try changed { $0["recipients"] = nil }, 422),
                (try changed { $0["ciphertext"] = 7 }, 400),
                (try changed { $0["protected"] = "%" }, 400),
                (try protected(#"{"enc":"A256GCM"}"#), 422),
                (try protected(#"{"enc":"A256GCM","sid":"planted-health-data","seq":1}"#), 422),
                (try protected(#"{"enc":"A256GCM","sid":"\#(UUID().uuidString)","seq":0}"#), 422),
                (try protected(#"{"enc":"A128CBC-HS256","sid":"\#(UUID().uuidString)","seq":1}"#), 422),
                (try protected(#"{"enc":"A256GCM","crit":["x"],"x":1,"sid":"\#(UUID().uuidString)","seq":1}"#), 422),
            ]
            for item in cases {
                let answer = try await study.send("POST", "/encfhir", token: device.token, body: Data(item.body.utf8))
                #expect(answer.status == item.status, "\(item.body.prefix(80)): \(answer.text)")
                #expect(answer.problemCode?.hasPrefix("envelope-") == true)
                #expect(!answer.text.contains("planted"))
            }
            #expect(try await study.queue.status(now: study.clock.now).depth == 0)
            #expect(try await study.send("POST", "/encfhir", token: device.token, body: envelope()).status == 200)
        }
    }

    @Test func sizesAreLimited() async throws {
        try await Study.with { study in
            let device = try await study.device()
            let large = try envelope(payload: String(repeating: "x", count: 30_000))
            let answer = try await study.send("POST", "/encfhir", token: device.token, body: large)
            #expect(answer.status == 413 && answer.problemCode == "body-too-large")
            // A declared length is used immediately; a false declaration does not help.
            #expect(
                try await study.post("/encfhir", token: device.token, length: 1_000_000, body: unreadable) == 413)
            let lying = RequestBody(buffer: ByteBuffer(repeating: 65, count: 20_001))
            #expect(try await study.post("/encfhir", token: device.token, length: 10, body: lying) == 413)
            let compressed = try await study.send(
                "POST", "/encfhir", token: device.token, headers: ["Content-Encoding": "gzip"], body: envelope())
            #expect(compressed.status == 415 && compressed.problemCode == "encoding-not-supported")
        }
    }

    @Test func pathsThatNameNoResourceAreRefused() async throws {
        try await Study.with { study in
            let device = try await study.device()
            for path in [
                "/encfhir/Pat1ent", "/encfhir/..%2F..", "/encfhir/Patient/a_b",
                "/encfhir/Patient/" + String(repeating: "a", count: 65),
            ] {
                let answer = try await study.send("POST", path, token: device.token, body: envelope())
                #expect(answer.status == 400 && answer.problemCode == "path-invalid", "\(path)")
            }
            #expect(
                try await study.send("POST", "/encfhir/Patient/a/b", token: device.token, body: envelope()).status
                    == 404)
        }
    }

    @Test func fiftyConcurrentRequestsStoreOneSubmission() async throws {
        try await Study.with { study in
            let device = try await study.device()
            let submissionID = UUID()
            let bytes = try envelope(submissionID)
            let other = try envelope(submissionID)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<50 {
                    group.addTask {
                        try await study.send(
                            "POST", "/encfhir", token: device.token, body: index % 5 == 0 ? other : bytes
                        ).status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(Set(statuses) == [200, 409])
            #expect([10, 40].contains(statuses.count(where: { $0 == 200 })))
            #expect(try await study.queue.status(now: study.clock.now).depth == 1)
        }
    }

    /// A queue whose disk is full until space is freed.
    struct FullQueue: SubmissionQueue {
        let code: String

        func enqueue(_ submission: NewSubmission, quota: Int?) async throws -> EnqueueResult {
            throw StorageError(code: code, message: "planted-detail")
        }
        func lease(
            owner: String, limit: Int, duration: TimeInterval, now: Date, isIdle: Bool,
            passingOver enrolmentIDs: [String]
        ) async throws
            -> [QueuedSubmission]
        {
            []
        }
        func takeOverLeases(owner: String) async throws {}
        func leaseOwners() async throws -> [String] { [] }
        func endLeases(of owner: String) async throws {}
        func renew(owner: String, duration: TimeInterval, now: Date) async throws {}
        func giveBack(owner: String) async throws {}
        func isHeld(_ submission: QueuedSubmission) async throws -> Bool { false }
        func settle(_ settlements: [Settlement], at: Date) async throws -> [Bool] { settlements.map { _ in false } }
        func release(_ selection: HeldSelection, at: Date) async throws -> Int { 0 }
        func postpone(_ submission: QueuedSubmission, isFailure: Bool) async throws {}
        func status(now: Date) async throws -> QueueStatus {
            QueueStatus(depth: 0, oldestReceivedAt: nil, held: 0, quarantined: 0)
        }
        func show(submissionID: String?) async throws -> [SubmissionSummary] { [] }
        func retry(submissionID: String) async throws -> Bool { false }
        func retryAllQuarantined() async throws -> Int { 0 }
        func discard(submissionID: String, at: Date) async throws -> Bool { false }
        func deliveries(enrolmentID: String, after: Int64, limit: Int) async throws -> [Delivery] { [] }
        func missing(enrolmentID: String, limit: Int) async throws -> [MissingSequences] { [] }
    }

    @Test(arguments: [("storage-full", 507), ("storage-busy", 503)])
    func storeFailureIsReportedAsTemporary(code: String, status: Int) async throws {
        try await Study.with(wrapping: FullQueue(code: code)) { study in
            let device = try await study.device()
            let submissionID = UUID()
            let answer = try await study.send("POST", "/encfhir", token: device.token, body: envelope(submissionID))
            #expect(answer.status == status && answer.header("Retry-After") != nil)
            // The id comes from the envelope only.
            #expect(answer.submission == submissionID.uuidString.lowercased())
            #expect(!answer.text.contains("planted"))
        }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct PlainWriteTests {
    private static let patient = Data(#"{"resourceType":"Patient","id":"p-1","birthDate":"1990"}"#.utf8)

    @Test func plainResourcesAreRefusedUnlessTheStudyAcceptsThem() async throws {
        try await Study.with(changing(\.acceptC3PRO, false)) { study in
            let device = try await study.device()
            for (method, path) in [("PUT", "/fhir/Patient/p-1"), ("POST", "/c3pro/fhir/Patient")] {
                let answer = try await study.send(method, path, token: device.token, body: Self.patient)
                #expect(answer.status == 403 && answer.outcomeCode == "plain-fhir-not-accepted")
                #expect(answer.json["resourceType"] as? String == "OperationOutcome")
                #expect(answer.header("Content-Type") == "application/fhir+json")
                #expect(answer.text.contains("/encfhir") && !answer.text.contains("1990"))
            }
        }
    }

    @Test func onlyThePatientOfC3PROsAppsIsAcceptedInPlainText() async throws {
        try await Study.with { study in
            let device = try await study.device()
            for prefix in ["", "/c3pro"] {
                let put = try await study.send(
                    "PUT", prefix + "/fhir/Patient/p-1", token: device.token, body: Self.patient)
                #expect(put.status == 200 && put.body.isEmpty)
                let other = try await study.send(
                    "PUT", prefix + "/fhir/Patient/p-2", token: device.token, body: Self.patient)
                #expect(other.status == 400 && other.outcomeCode == "id-mismatch")
                for (method, path) in [
                    ("POST", "/fhir/Patient"), ("PUT", "/fhir/Contract/p-1"), ("POST", "/fhir/Contract"),
                ] {
                    let answer = try await study.send(method, prefix + path, token: device.token, body: Self.patient)
                    #expect(
                        answer.status == 403 && answer.outcomeCode == "plain-fhir-not-accepted", "\(method) \(path)")
                }
            }
            #expect(try await study.queue.status(now: study.clock.now).depth == 2)
        }
    }

    @Test func plainResourcesAreSealedOnArrival() async throws {
        try await Study.with(changing(\.acceptPlainFHIR, true)) { study in
            let device = try await study.device()
            let put = try await study.send(
                "PUT", "/c3pro/fhir/Patient/p-1", token: device.token,
                headers: ["Content-Type": "application/json+fhir; charset=utf-8"], body: Self.patient)
            #expect(put.status == 200 && put.body.isEmpty)
            let post = try await study.send("POST", "/fhir/Patient", token: device.token, body: Self.patient)
            #expect(post.status == 201)
            let leased = try await study.queue.lease(
                owner: "o", limit: 9, duration: 9, now: study.clock.now, isIdle: true)
            #expect(leased.count == 2)
            let first = try #require(leased.first)
            #expect(first.body.range(of: Data("1990".utf8)) == nil)
            let opened = try OpenedEnvelope.open(first.body, with: KeySet(Made.keys))
            #expect(opened.payload == Self.patient && opened.fhirVersion == "1.0.2")
            #expect(opened.submissionID == first.submissionID)
            let second = try OpenedEnvelope.open(leased[1].body, with: KeySet(Made.keys))
            #expect(second.fhirVersion == "4.0.1")
        }
    }

    @Test func invalidPlainResourcesAreRefused() async throws {
        try await Study.with(changing(\.acceptPlainFHIR, true)) { study in
            let device = try await study.device()
            let cases: [(method: String, path: String, body: String, status: Int, code: String)] = [
                ("PUT", "/fhir/Patient/p-1", "{", 400, "json-invalid"),
                ("PUT", "/fhir/Patient/p-1", "[]", 400, "json-invalid"),
                ("PUT", "/fhir/Patient/p-1", #"{"resourceType":"Observation","id":"p-1"}"#, 400, "type-mismatch"),
                ("PUT", "/fhir/Patient/p-1", #"{"resourceType":"Patient","id":"p-2"}"#, 400, "id-mismatch"),
                ("PUT", "/fhir/Patient/p-1", #"{"resourceType":"Patient"}"#, 400, "id-mismatch"),
                ("POST", "/fhir/Patient", String(repeating: " ", count: 30_000), 413, "body-too-large"),
            ]
            for item in cases {
                let answer = try await study.send(
                    item.method, item.path, token: device.token, body: Data(item.body.utf8))
                #expect(answer.status == item.status && answer.outcomeCode == item.code, "\(item.body.prefix(50))")
            }
            #expect(try await study.queue.status(now: study.clock.now).depth == 0)
        }
    }

    @Test(
        arguments: [
            (nil, "4.0.1"), ("application/fhir+json", "4.0.1"), ("application/json+fhir;charset=utf-8", "1.0.2"),
            ("application/fhir+json; fhirVersion=3.0", "3.0.2"),
            ("application/fhir+json; fhirVersion=\"1.0\"", "1.0.2"),
            ("application/fhir+json; fhirVersion=4.0", "4.0.1"), (";;;", "4.0.1"),
        ] as [(String?, String)])
    func mediaTypeDeterminesTheVersion(contentType: String?, version: String) {
        #expect((contentType.flatMap { FHIRRelease(mediaType: $0) } ?? .r4).number == version)
    }
}
