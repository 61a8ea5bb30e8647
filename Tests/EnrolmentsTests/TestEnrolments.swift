import AccessPolicy
import AccessTestSupport
import Foundation
import Storage
import StorageTestSupport
import Submissions

@testable import Enrolments

/// Passes an enrolment store with the tables of the records store.
func withEnrolments(_ body: (EnrolmentStore, any SQLDatabase, TestClock) async throws -> Void) async throws {
    try await withAccess { access, database, clock async throws in
        try await body(EnrolmentStore(audit: access.audit), database, clock)
    }
}

/// Passes a device access with the tables of the queue store.
func withDevices(_ body: (DeviceAccess, any SQLDatabase, TestClock) async throws -> Void) async throws {
    try await withTemporaryDatabase(SubmissionsSchema.migrations) { database async throws in
        let clock = TestClock()
        try await body(DeviceAccess(database: database, clock: { clock.now }), database, clock)
    }
}

extension EnrolmentStore {
    func bind(
        _ device: String, to participant: String, isKnown: Bool = false, code: String? = nil
    ) async throws -> Decision {
        try await database.write { transaction in
            try self.bind(
                device: device, clientID: "client of \(device)", toParticipant: participant, isKnown: isKnown,
                moveCode: code, in: transaction)
        }
    }
}
