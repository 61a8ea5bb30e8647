import CarePlans
import Core
import Foundation
import Synchronization
import Testing

@testable import CareStores

/// A phone with a file in memory.
struct CarePhone {
    let file: MemoryFile
    let session: ModelSession
    let clock: PhoneClock

    init(_ server: ModelCareServer, file: MemoryFile = MemoryFile(), clock: PhoneClock = PhoneClock()) {
        (session, self.file, self.clock) = (ModelSession(server: server), file, clock)
    }

    /// Opens the store, as after a start of the app.
    func open() throws -> CarePlanStore {
        let clock = clock
        return try CarePlanStore(patient: "ann", file: file, server: session, now: { clock.now })
    }
}

final class PhoneClock: Sendable {
    private let seconds = Mutex(800_000_000.0)

    var now: Date { Date(timeIntervalSinceReferenceDate: seconds.withLock { $0 }) }

    func advance(_ interval: Double) { seconds.withLock { $0 += interval } }
}

/// Versions of entities for tests.
enum Make {
    /// A patient entity, which needs no other one.
    static func version(
        _ id: String, kind: CareEntityKind = .contact, following previous: [UUID] = [], updated: Double = 700_000_000,
        deleted: Bool = false
    ) throws -> CareEntity {
        let date = try #require(JSONNumber(text: String(Int(updated))))
        var object: JSON = [
            "id": .string(id), "uuid": .string(UUID().uuidString),
            "previousVersionUUIDs": .array(previous.map { .string($0.uuidString) }), "nextVersionUUIDs": [],
            "effectiveDate": .number(date), "createdDate": .number(date), "updatedDate": .number(date),
            "schemaVersion": ["majorVersion": 2, "minorVersion": 1, "patchNumber": 0],
            "timezone": ["identifier": "Europe/Zurich"],
            "name": ["familyName": "Roe", "givenName": "Ann"],
        ]
        if deleted { object["deletedDate"] = .number(date) }
        return try CareEntity(kind: kind, object: object)
    }
}
