import Foundation
import Storage
import Submissions
import Testing
import Wire

@testable import Receiver

@Suite(.timeLimit(.minutes(10)))
struct DeliveryTests {
    private func page(_ study: Study, token: String, after cursor: String) async throws -> DeliveriesPage {
        let answer = try await study.send("GET", "/deliveries?after=\(cursor)", token: token)
        #expect(answer.status == 200)
        return try #require(DeliveriesPage(reading: answer.body))
    }

    @Test func deliveriesArePagedAndRevealNothing() async throws {
        try await Study.with { study in
            let device = try await study.device()
            let other = try await study.device()
            let ids = (0..<6).map { _ in UUID() }
            for (index, id) in ids.enumerated() {
                _ = try await study.send(
                    "POST", "/encfhir", token: device.token, body: envelope(id, sequence: Int64(index + 1)))
            }
            _ = try await study.send("POST", "/encfhir", token: other.token, body: envelope())
            try await study.settle([
                SubmissionOutcome(status: .stored, keyID: "planted-key"),
                SubmissionOutcome(status: .held, reasonCode: "consent-required", detail: "planted-detail"),
                SubmissionOutcome(status: .quarantined, reasonCode: "planted-reason", detail: "planted-detail"),
                SubmissionOutcome(status: .refused, reasonCode: "planted-reason"),
                SubmissionOutcome(status: .quarantined, reasonCode: "answers-invalid", detail: "planted-detail"),
            ])
            var found: [DeliveriesPage.Delivery] = []
            var cursor = ""
            for _ in 0..<3 {
                let answer = try await study.send("GET", "/deliveries?after=\(cursor)", token: device.token)
                #expect(!answer.text.contains("planted") && answer.header("Cache-Control") == "no-store")
                let page = try #require(DeliveriesPage(reading: answer.body))
                #expect(page.deliveries.count <= 3)
                found += page.deliveries
                cursor = page.next
            }
            #expect(found.map(\.submission) == [5, 0, 1, 2, 3, 4].map { ids[$0].uuidString.lowercased() })
            #expect(found.map(\.status) == ["received", "stored", "held", "held", "refused", "held"])
            #expect(found.map(\.reason) == [nil, nil, "consent-required", "needs-attention", nil, "answers-invalid"])
            #expect(found[1].at == "2026-01-01T00:00:00.000Z")
        }
    }

    @Test func entriesContainNoVersion() async throws {
        try await Study.with { study in
            let device = try await study.device()
            _ = try await study.send("POST", "/encfhir/Patient/p-1", token: device.token, body: envelope())
            try await study.settle([SubmissionOutcome(status: .stored, keyID: "k")])
            let answer = try await study.send("GET", "/deliveries", token: device.token)
            let entries = try #require(answer.json["deliveries"] as? [[String: Any]])
            #expect(entries.map { $0.keys.sorted() } == [["at", "status", "submission"]])
            #expect(Set(answer.json.keys) == ["deliveries", "epoch", "missing", "next"])
        }
    }

    @Test func cursorOfAnotherEpochStartsFromTheBeginning() async throws {
        try await Study.with(changing(\.epoch, 7)) { study in
            let device = try await study.device()
            let ids = [UUID(), UUID()]
            for id in ids { _ = try await study.send("POST", "/encfhir", token: device.token, body: envelope(id)) }
            let all = ids.map { $0.uuidString.lowercased() }
            let first = try await page(study, token: device.token, after: "")
            #expect(first.epoch == 7 && first.next == "7-2" && first.deliveries.map(\.submission) == all)
            // The same epoch continues; without new deliveries the cursor stays.
            #expect(try await page(study, token: device.token, after: "7-1").deliveries.map(\.submission) == [all[1]])
            let last = try await page(study, token: device.token, after: first.next)
            #expect(last.deliveries.isEmpty && last.next == "7-2" && last.epoch == 7)
            // Cursors of other epochs, before or after a restore, and of servers without epochs: from the beginning.
            for cursor in ["6-2", "8-1", "2", "99999999999999999999-2"] {
                let page = try await page(study, token: device.token, after: cursor)
                #expect(page.deliveries.map(\.submission) == all && page.next == "7-2", "\(cursor)")
            }
        }
    }

    @Test func deviceWithAnotherEpochIsRefusedUntilItReadsDeliveries() async throws {
        try await Study.with(changing(\.epoch, 7)) { study in
            let device = try await study.device()
            let submissionID = UUID()
            for other in ["6", "8", "", "x", "07"] {
                let answer = try await study.send(
                    "POST", "/encfhir/Patient/p-1", token: device.token,
                    headers: [
                        StudyPath.epochHeader: other, StudyPath.submissionHeader: submissionID.uuidString,
                    ], body: envelope(submissionID))
                #expect(answer.status == 412 && answer.problemCode == "study-restored", "\(other)")
                #expect(answer.submission == submissionID.uuidString.lowercased())
            }
            #expect(try await page(study, token: device.token, after: "").deliveries.isEmpty)
            for headers in [[StudyPath.epochHeader: "7"], [:]] {
                let answer = try await study.send(
                    "POST", "/encfhir/Patient/p-1", token: device.token, headers: headers, body: envelope())
                #expect(answer.status == 200)
            }
        }
    }

    @Test func invalidCursorIsRefused() async throws {
        try await Study.with { study in
            let device = try await study.device()
            for wrong in [
                "x", "-1", "1.5", "1-99999999999999999999", "1'--", "%ZZ", "1&after=2", "1-2-3", "-", "1-", "1-x",
                "1--2",
                "1-%D9%A1",
            ] {
                let answer = try await study.send("GET", "/deliveries?after=\(wrong)", token: device.token)
                #expect(answer.status == 400 && answer.problemCode == "cursor-invalid", "\(wrong)")
            }
        }
    }
}
