import FHIR
import Foundation
import RecordStorage
import Storage
import Testing

@testable import Consumer

@Suite struct PermissionSubmissionTests {
    @Test func submissionWithTheIdOfAPermissionIsQuarantined() async throws {
        let fixture = try await ConsumerFixture()
        let device = try await fixture.client()
        #expect(try await fixture.send(ConsumerFixture.contract("p1", id: "c1"), from: device)?.status == .stored)
        // 1. The Consent of a permission of the same participant.
        let withdrawal = ConsumerFixture.withdrawal("p1", contract: "c1").replacingOccurrences(
            of: #"{"resourceType":"Consent","#, with: #"{"resourceType":"Consent","id":"permission-1","#)
        let content = Data(withdrawal.utf8)
        let record = NewRecord(try Resource(content), id: "permission-1", subject: "p1", content: content)
        let own = RecordProvenance(
            submissionID: RecordProvenance.permissionSubmissionID, clientID: "csi", keyID: nil, receivedAt: Date())
        try await fixture.database.write { transaction in
            _ = try RecordStore().write(own, at: Date(), in: transaction) { try $0.insert(record) }
        }
        // 2. The device sends the same id, alone and after another resource.
        let versions = try await fixture.versions
        for payloads in [[withdrawal], [ConsumerFixture.response("p1"), withdrawal]] {
            let outcome =
                payloads.count == 1
                ? try await fixture.send(payloads[0], from: device)
                : try await fixture.send(payloads[0], payloads[1], from: device)
            #expect(outcome?.status == .quarantined && outcome?.reasonCode == "permission-not-written-here")
        }
        #expect(try await fixture.versions == versions)
        // 3. The staff decides about what may be a withdrawal from the study; nothing is withdrawn by itself.
        #expect(try await fixture.send(ConsumerFixture.response("p1"), from: device)?.status == .held)
        try await fixture.close()
    }
}
