import AccessTestSupport
import Audit
import CarePlans
import Core
import Foundation
import Storage
import StorageTestSupport
import Testing

@testable import Accounts
@testable import CareSync

/// Logs of care plans in a store of this process. The account ``patient`` exists.
struct CareFixture: Sendable {
    static let patient = "patient-1"

    let database: any SQLDatabase
    let clock: TestClock
    let store: PeopleStore
    let log: CareLog

    static func with(
        on engine: TestEngine = .chosen, _ body: (CareFixture) async throws -> Void
    ) async throws {
        try await withTemporaryDatabase(PeopleSchema.store.migrations, on: engine) { database async throws in
            let clock = TestClock()
            let store = PeopleStore(
                audit: AuditLog(database: database, clock: { clock.now }), groups: ["main"], title: "Study")
            try await store.prepare()
            let fixture = CareFixture(
                database: database, clock: clock, store: store, log: CareLog(store: store))
            try await fixture.addAccount(patient)
            try await body(fixture)
        }
    }

    /// Creates an account.
    func addAccount(_ id: String) async throws {
        let now = clock.now
        try await database.write { transaction in
            try transaction.execute(
                "INSERT INTO user_account (id, username, password, role, created_at) VALUES (?, ?, '', ?, ?)",
                [SQLValue(id), SQLValue(id), "account-holder", SQLValue(now)])
            try transaction.execute(
                "INSERT INTO person (account_id, email, profile) VALUES (?, ?, '{}')", [SQLValue(id), SQLValue(id)])
        }
    }

    func push(
        _ revisions: [CareRevision], _ knowledge: KnowledgeVector, patient: String = patient, session: String? = nil
    ) async throws -> KnowledgeVector {
        try await log.push(revisions, knowledge: knowledge, patient: patient, actor: patient, session: session)
    }

    /// Pulls all pages.
    func pull(
        _ knowledge: KnowledgeVector = KnowledgeVector(), for caller: CareLogReader = .complete,
        patient: String = patient, session: String = "session"
    ) async throws -> (revisions: [CareRevision], vector: KnowledgeVector, pages: Int) {
        var (revisions, pages, page): ([CareRevision], Int, String?) = ([], 0, nil)
        while true {
            let answer = try await log.pull(
                since: knowledge, page: page, caller: caller, patient: patient, session: session)
            revisions += answer.revisions
            pages += 1
            guard let next = answer.next else { return (revisions, answer.knowledgeVector, pages) }
            page = next
        }
    }

    /// Gives the store a new identity, as the restore of a backup does.
    func renew() async throws {
        let random = store.random
        try await database.write { try PeopleStore.renew(random: random, in: $0) }
    }

    /// Fails if an id has more than one tip, or an event more than one live outcome.
    func requireInvariants(_ patient: String = patient) async throws {
        let conflicts = try await database.read { transaction in
            try transaction.query(
                """
                SELECT kind, entity_id FROM care_version WHERE account_id = ? AND followed_by IS NULL
                GROUP BY kind, entity_id HAVING count(*) > 1
                """, [SQLValue(patient)]
            ).count
                + transaction.query(
                    """
                    SELECT task, occurrence FROM care_version
                    WHERE account_id = ? AND followed_by IS NULL AND is_tombstone = 0 AND task IS NOT NULL
                    GROUP BY task, occurrence HAVING count(*) > 1
                    """, [SQLValue(patient)]
                ).count
        }
        try #require(conflicts == 0)
    }

    /// Versions for tests.
    static func uuid(_ number: Int) -> UUID { UUID((0, UInt64(number))) }

    static func vector(_ clocks: [Int: Int]) -> KnowledgeVector {
        KnowledgeVector(Dictionary(uniqueKeysWithValues: clocks.map { (uuid($0.key), $0.value) }))
    }

    /// A daily task.
    static func task(
        _ number: Int, id: String = "task", previous: [Int] = [], updated: Double = 0, isDeleted: Bool = false
    ) throws -> CareEntity {
        var object = base(number, id: id, previous: previous, updated: updated, isDeleted: isDeleted)
        object["impactsAdherence"] = true
        object["title"] = .string("Task \(number)")
        object["schedule"] = [
            "elements": [
                [
                    "start": 0, "duration": ["isAllDay": true], "interval": ["day": 1], "targetValues": [],
                    "calendar": [
                        "identifier": "gregorian", "firstWeekday": 1, "minimumDaysInFirstWeek": 1,
                        "locale": ["identifier": "en_US"], "timeZone": ["identifier": "Europe/Berlin"],
                    ],
                ]
            ]
        ]
        return try CareEntity(kind: .task, object: object)
    }

    static func outcome(
        _ number: Int, id: String? = nil, of task: Int, at occurrence: Int = 0, previous: [Int] = [],
        updated: Double = 0, isDeleted: Bool = false
    ) throws -> CareEntity {
        var object = base(
            number, id: id ?? "outcome-\(number)", previous: previous, updated: updated, isDeleted: isDeleted)
        object["taskUUID"] = .string(uuid(task).uuidString)
        object["taskOccurrenceIndex"] = .number(JSONNumber(occurrence))
        object["values"] = []
        return try CareEntity(kind: .outcome, object: object)
    }

    private static func base(
        _ number: Int, id: String, previous: [Int], updated: Double, isDeleted: Bool
    ) -> JSON {
        let date = JSON.number(JSONNumber(Int(updated)))
        var object: JSON = [
            "uuid": .string(uuid(number).uuidString), "id": .string(id),
            "previousVersionUUIDs": .array(previous.map { .string(uuid($0).uuidString) }), "nextVersionUUIDs": [],
            "effectiveDate": date, "createdDate": 0, "updatedDate": date,
            "timezone": ["identifier": "Europe/Berlin"],
        ]
        if isDeleted { object["deletedDate"] = date }
        return object
    }
}
