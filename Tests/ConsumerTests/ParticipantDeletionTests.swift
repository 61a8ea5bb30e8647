import AccessPolicy
import Audit
import Foundation
import Storage
import StorageTestSupport
import Submissions
import Testing
import Warehouse

@testable import Admission
@testable import Consumer
@testable import RecordStorage

@Suite struct ParticipantDeletionTests {
    private let key = Data(repeating: 7, count: 32)

    private func delete(
        _ participant: String, in fixture: ConsumerFixture, keeping keeps: Set<KeptOnDelete> = []
    ) async throws -> ParticipantDeletion.Account {
        let access = fixture.access
        let stretches = try await fixture.database.read { try access.stretches(of: participant, in: $0) }
        let queued = try await fixture.queueStore.read { try SQLSubmissionQueue.digest(stretches, in: $0) }
        let deletion = ParticipantDeletion(
            access: access, actor: Actor(id: "account:team", role: .site), keeps: keeps, reason: nil)
        let (key, now) = (key, Date())
        let account = try await fixture.database.write { transaction in
            try deletion.delete(participant, key: key, queued: queued, at: now, in: transaction)
        }
        try await fixture.queueStore.write { transaction in
            try SQLSubmissionQueue.empty(
                account.stretches, reason: DeletionRegister.code, at: now, in: transaction)
        }
        let digest = DeletionRegister.digest(of: participant, key: key)
        return try await fixture.database.write {
            try ParticipantDeletion.settle(account, digest: digest, in: $0)
        }
    }

    /// Returns the rows of all tables as text, by table.
    private func rows(_ database: any SQLDatabase) async throws -> [String: [String]] {
        try await database.read { transaction in
            var rows: [String: [String]] = [:]
            for table in try transaction.tableNames() { rows[table] = try transaction.rowTexts(of: table) }
            // Searches must see the original contents, not their compressed form.
            guard rows["record_version"] != nil else { return rows }
            rows["contents"] = try transaction.query("SELECT content, original FROM record_version").flatMap { row in
                try ["content", "original"].compactMap { row.blobIfPresent($0) }
                    .map { String(decoding: try ContentCodec.content($0, in: transaction), as: UTF8.self) }
            }
            return rows
        }
    }

    private func twoParticipants() async throws -> (fixture: ConsumerFixture, first: String, second: String) {
        let fixture = try await ConsumerFixture()
        let (first, second) = (try await fixture.client(), try await fixture.client())
        for (participant, client) in [("p1", first), ("p2", second)] {
            #expect(
                try await fixture.send(ConsumerFixture.contract(participant, id: "c-" + participant), from: client)?
                    .status == .stored)
            #expect(
                try await fixture.send(ConsumerFixture.response(participant), from: client)?.status == .stored)
            #expect(try await fixture.send("{", from: client)?.status == .quarantined)
        }
        return (fixture, first, second)
    }

    @Test func noRowOfADeletedParticipantIsLeftAndNoneOfAnotherIsGone() async throws {
        let (fixture, _, _) = try await twoParticipants()
        let account = try await delete("p1", in: fixture)
        for (store, before) in [("records", fixture.database), ("queue", fixture.queueStore)] {
            for (table, rows) in try await rows(before) {
                #expect(
                    !rows.contains { $0.contains("\"p1\"") || $0.contains("Patient/p1") || $0.contains("c-p1") },
                    "\(store) \(table)")
            }
        }
        for (table, left) in [
            ("participant_consent", 1), ("device_binding", 1), ("patient_dimension", 1), ("consent_contract", 1),
            ("record", 2), ("record_version", 2),
        ] {
            #expect(try await fixture.count("SELECT count(*) AS number FROM \(table)") == Int64(left), "\(table)")
        }
        #expect(try await fixture.facts == 1, "the other's answer")
        #expect(account.removed["record"]?.count == 2)
        #expect(account.removed["observation_fact"]?.count == 1)
        #expect(account.removed["submission_body"]?.count == 1)
        #expect(account.kept["submission"]?.count == 3)
        let bodies = try await fixture.queueStore.read {
            try $0.first("SELECT count(*) AS number FROM submission_body")?.integer("number")
        }
        #expect(bodies == 1)
        try await fixture.close()
    }

    @Test func theNumberOfADeletedParticipantIsNeverGivenAgain() async throws {
        let (fixture, _, _) = try await twoParticipants()
        let number = try await fixture.database.read { try WarehouseLoader.number(of: "p2", in: $0) }
        _ = try await delete("p2", in: fixture)
        let client = try await fixture.client()
        try await fixture.send(ConsumerFixture.contract("p3"), from: client)
        let next = try await fixture.database.read { try WarehouseLoader.number(of: "p3", in: $0) }
        #expect(try #require(next) > #require(number))
        try await fixture.close()
    }

    @Test func submissionsForADeletedParticipantAreRefusedFromAnyDevice() async throws {
        let (fixture, first, second) = try await twoParticipants()
        _ = try await delete("p1", in: fixture)
        let stranger = try await fixture.client()
        for client in [first, second, stranger] {
            for payload in [
                ConsumerFixture.contract("p1"), ConsumerFixture.response("p1"),
                ConsumerFixture.withdrawal("p1", contract: "c-p1"),
            ] {
                let outcome = try await fixture.send(payload, from: client)
                #expect(outcome?.status == .refused && outcome?.reasonCode == "participant-deleted")
            }
        }
        #expect(try await fixture.sendC3PRO(ConsumerFixture.dstu2Response, from: stranger)?.status == .refused)
        #expect(try await fixture.count("SELECT count(*) AS number FROM participant_suspension") == 0)
        await #expect(throws: AdmissionError.self) { try await fixture.consentOnPaper("p1") }
        // The phone's owner may take part again.
        #expect(try await fixture.send(ConsumerFixture.contract("p9"), from: first)?.status == .stored)
        try await fixture.close()
    }

    @Test func submissionReadBeforeADeletionIsNotRecordedAfterIt() async throws {
        let (fixture, first, _) = try await twoParticipants()
        let id = try await fixture.enqueue(ConsumerFixture.response("p1", answer: 5), from: first)
        let leased = try await fixture.queue.lease(owner: "test", limit: 1, duration: 3_600, now: Date(), isIdle: true)
        let submission = try #require(leased.first { $0.submissionID == id })
        let ahead = try await fixture.processor.prepare(submission)
        _ = try await delete("p1", in: fixture)
        let outcome = try await fixture.processor.process(submission, prepared: ahead)
        #expect(outcome.reasonCode == "participant-deleted")
        #expect(try await !fixture.queue.settle(submission, as: outcome, at: Date()), "the lease is gone")
        #expect(try await fixture.count("SELECT count(*) AS number FROM record WHERE subject = 'p1'") == 0)
        try await fixture.close()
    }

    @Test func dataThatTheStudyKeepsStays() async throws {
        let (fixture, _, _) = try await twoParticipants()
        let account = try await delete("p1", in: fixture, keeping: [.consent, .audit])
        #expect(account.kept["consent"]?.count == 1 && account.kept["audit"]?.count == 1)
        let types = try await fixture.database.read { try RecordStore().counts(about: "p1", in: $0) }
        #expect(types == ["Contract": 1])
        #expect(try await !fixture.access.audit.entries(participant: "p1").isEmpty)
        #expect(try await fixture.count("SELECT count(*) AS number FROM participant_consent WHERE subject = 'p1'") == 0)
        try await fixture.close()
    }

    /// The deletion must cover each new table, or this test gives the reason why not.
    @Test func everyTableThatNamesAParticipantIsKnownToDeletion() async throws {
        let known: Set<String> = [
            // Rows are deleted by the participant's id, their number or their devices.
            "record", "record_stream", "written_bytes", "participant_consent", "participant_suspension", "settlement",
            "device_binding",
            "device_key",
            "device_message", "move_code", "token_patient", "user_account", "access_authorization",
            "participant_pseudonym", "observation_fact", "patient_dimension", "visit_dimension", "patient_mapping",
            "encounter_mapping", "consent_contract", "consent_dimension", "warehouse_patient", "submission",
            // PermissionStore deletes them.
            "csi", "wallet_code", "access_permission",
            // Contains a pseudonym.
            "audit",
        ]
        let names: Set<String> = ["subject", "participant", "patient", "patient_num", "patient_ide", "lane"]
        let fixture = try await ConsumerFixture()
        for database in [fixture.database, fixture.queueStore] {
            let tables = try await database.read { try $0.tableNames() }
            for table in tables where !known.contains(table) {
                let columns = try await database.read { try $0.columnNames(of: table) }
                #expect(names.isDisjoint(with: columns), "\(table) names a participant: see ParticipantDeletion")
            }
        }
        try await fixture.close()
    }
}

@Suite struct CountedParticipantsTests {
    private func contract(_ participant: String, sharing: Bool?) -> String {
        let url = "http://fhir-registry.smarthealthit.org/StructureDefinition/consents-to-data-sharing"
        let extensions = sharing.map { #""extension":[{"url":"\#(url)","valueBoolean":\#($0)}],"# } ?? ""
        return ConsumerFixture.contract(participant, id: "c-" + participant)
            .replacingOccurrences(of: #""signer":[{"#, with: #""signer":[{\#(extensions)"#)
    }

    @Test func withdrawnParticipantsAreLeftOutAndOnlySharingOnesAreShared() async throws {
        let fixture = try await ConsumerFixture()
        for (participant, sharing) in [("yes", true), ("no", false), ("unasked", nil), ("gone", true)]
            as [(String, Bool?)]
        {
            let client = try await fixture.client()
            #expect(try await fixture.send(contract(participant, sharing: sharing), from: client)?.status == .stored)
            #expect(try await fixture.send(ConsumerFixture.response(participant), from: client)?.status == .stored)
            guard participant == "gone" else { continue }
            try await fixture.send(ConsumerFixture.withdrawal("gone", contract: "c-gone"), from: client)
        }
        for (counted, patients) in [
            (CountedParticipants.notWithdrawn, 3), (.sharing, 1), (.withWithdrawn, 4),
        ] {
            let count = try await fixture.database.read { transaction in
                try WarehouseQuery().count(
                    path: "\\Tributary\\", value: nil, from: nil, to: nil, among: counted.patients, in: transaction)
            }
            #expect(count.patients == patients, "\(counted)")
        }
        let plan = try await fixture.database.read {
            try QueryPlan(
                "SELECT subject FROM participant_consent WHERE standing = ? AND shares = 1",
                [SQLValue("consented")], in: $0)
        }
        #expect(plan.uses(index: "participant_consent_by_standing"), "\(plan)")
        try await fixture.close()
    }
}
