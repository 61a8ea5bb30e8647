import AccessPolicy
import AccessTestSupport
import Audit
import Foundation
import Storage
import StorageTestSupport
import Submissions
import Testing

@testable import Enrolments

@Suite struct ForgettingTests {
    private let key = Data(repeating: 1, count: 32)
    private let site = Actor(id: "account:team", role: .site)

    private func bind(
        _ rows: [(device: String, participant: String, since: Int, until: Int?)], in database: any SQLDatabase
    )
        async throws
    {
        try await database.write { transaction in
            for row in rows {
                try transaction.execute(
                    "INSERT INTO device_binding (device, participant, bound_at, ended_at) VALUES (?, ?, ?, ?)",
                    [
                        SQLValue(row.device), SQLValue(row.participant), SQLValue(at(row.since)),
                        SQLValue(row.until.map(at)),
                    ])
            }
        }
    }

    private func at(_ seconds: Int) -> Date { Date(timeIntervalSince1970: 1_790_000_000 + Double(seconds)) }

    @Test func deviceOfOneParticipantSentAllSubmissionsForThem() async throws {
        try await withTemporaryDatabase([.baseline(of: "records", AccessSchema.sections)]) { database in
            try await bind([("d1", "p", 10, 20), ("d2", "p", 20, nil), ("d3", "q", 5, nil)], in: database)
            let enrolments = EnrolmentStore(database: database, clock: { Date() })
            let stretches = try await database.read { try enrolments.stretches(of: "p", in: $0) }
            #expect(
                stretches == [
                    SubmissionStretch(enrolmentID: "d1", after: nil, until: nil),
                    SubmissionStretch(enrolmentID: "d2", after: nil, until: nil),
                ])
        }
    }

    @Test func participantsOfOneDeviceHaveSeparatePeriods() async throws {
        try await withTemporaryDatabase([.baseline(of: "records", AccessSchema.sections)]) { database in
            try await bind([("d", "p", 10, 20), ("d", "q", 30, 40), ("d", "p", 50, nil)], in: database)
            let enrolments = EnrolmentStore(database: database, clock: { Date() })
            let (first, second) = try await database.read {
                (try enrolments.stretches(of: "p", in: $0), try enrolments.stretches(of: "q", in: $0))
            }
            #expect(
                first == [
                    SubmissionStretch(enrolmentID: "d", after: nil, until: at(20)),
                    SubmissionStretch(enrolmentID: "d", after: at(40), until: nil),
                ])
            #expect(second == [SubmissionStretch(enrolmentID: "d", after: at(20), until: at(40))])
        }
    }

    @Test func auditKeepsItsRowsWithoutTheParticipant() async throws {
        try await withTemporaryDatabase([.baseline(of: "records", AccessSchema.sections)]) { database in
            let enrolments = EnrolmentStore(database: database, clock: { Date() })
            let target = Target(resourceType: "Observation", resourceID: "o-of-p", subject: "p")
            try await enrolments.audit.record(
                .permitted, by: site, action: .readRecord, target: target, showing: ["p", "q"])
            let rows = try await enrolments.audit.entries(participant: "p").count
            #expect(rows == 1)
            let key = key
            try await database.write { transaction in
                _ = try EnrolmentStore.forget("p", keepsAudit: false, in: transaction)
                let register = DeletionRegister()
                try register.claim(key: key, in: transaction)
                try register.record(
                    digest: DeletionRegister.digest(of: "p", key: key), deletedAt: Date(), work: nil,
                    completedAt: Date(),
                    in: transaction)
            }
            let entry = try #require(try await enrolments.audit.entries().first)
            #expect(!entry.participants.contains("p") && entry.participants.contains("q"))
            #expect(entry.resourceID == nil)
            // A request with their name does not restore the name.
            _ = try await enrolments.audit.decide(
                site, action: .readParticipant, target: Target(resourceType: "Patient", resourceID: "p"))
            let names = try await database.read {
                try $0.query("SELECT 1 AS one FROM participant_pseudonym WHERE participant = 'p'")
            }
            #expect(names.isEmpty)
        }
    }

    @Test func digestDependsOnTheKeyAndMatchesOnlyItsParticipant() async throws {
        // RFC 4231, test case 2.
        #expect(
            DeletionRegister.digest(of: "what do ya want for nothing?", key: Data("Jefe".utf8))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        try await withTemporaryDatabase([.baseline(of: "records", AccessSchema.sections)]) { database in
            let key = key
            try await database.write { transaction in
                let register = DeletionRegister()
                #expect(try !register.isDeleted("p", in: transaction))
                try register.claim(key: key, in: transaction)
                try register.claim(key: key, in: transaction)
                #expect(throws: AccessError.self) { try register.claim(key: Data(count: 32), in: transaction) }
                try register.record(
                    digest: DeletionRegister.digest(of: "p", key: key), deletedAt: Date(), work: "{}", completedAt: nil,
                    in: transaction)
                #expect(try register.isDeleted("p", in: transaction))
                #expect(try !register.isDeleted("q", in: transaction))
            }
        }
    }
}
