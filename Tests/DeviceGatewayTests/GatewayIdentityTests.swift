import FHIR
import Foundation
import RecordStorage
import Storage
import StorageTestSupport
import Testing

@testable import DeviceGateway

/// The ids of the gateway's resources are digests that are keyed with a secret of the study.
@Suite struct GatewayIdentityTests {
    private static func ids(_ type: String, in fixture: GatewayFixture) async throws -> [String] {
        try await fixture.database.read { transaction in
            try transaction.query("SELECT id FROM record WHERE type = ? ORDER BY number", [SQLValue(type)])
                .map { try $0.text("id") }
        }
    }

    /// An Observation that an app stores under a digest without a key blocks no reading.
    @Test func anObservationUnderAGuessedIDBlocksNoReading() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.register("d", of: "p1")
            try await fixture.take([#"{"device":"d","at":"2026-03-01T08:00:00Z","kg":70}"#])
            try await fixture.work()
            let own = try #require(try await Self.ids("Observation", in: fixture).first)
            let stored = try await fixture.database.read {
                try RecordStore().read(type: "Observation", id: own, in: $0)
            }
            let identifier = Observation(try #require(stored).resource().object).identifier.first?.value ?? ""
            #expect(!identifier.isEmpty && own != MeasurementGroup.id(of: identifier) && own.utf8.count == 64)
            // The same for a future reading.
            let next = identifier.replacing("20260301", with: "20260302")
            let other =
                #"{"resourceType":"Observation","id":"\#(MeasurementGroup.id(of: next))","status":"final","#
                + #""code":{"text":"x"},"subject":{"reference":"Patient/p2"}}"#
            try await fixture.put(try Resource(Data(other.utf8)), id: MeasurementGroup.id(of: next))
            try await fixture.take([#"{"device":"d","at":"2026-03-02T08:00:00Z","kg":71}"#])
            try await fixture.work()
            #expect(try await fixture.status().measurements == 2)
            #expect(try await fixture.status().quarantined.isEmpty)
        }
    }

    /// A device has one id within a study, and another one in another study.
    @Test func idOfADeviceDependsOnItsStudy() async throws {
        func ids() async throws -> [String] {
            var found: [String] = []
            try await GatewayFixture.with { fixture in
                let registration = try DeviceRegistration(device: "d", participant: "p1")
                for _ in 0..<2 {
                    found.append(try await fixture.database.write { try registration.recordID(in: $0) })
                }
                try await fixture.register("d", of: "p1")
                found += try await Self.ids("Device", in: fixture)
            }
            return found
        }
        let (one, other) = (try await ids(), try await ids())
        #expect(one.count == 3 && Set(one).count == 1 && Set(other).count == 1 && one != other)
        #expect(one.first != MeasurementGroup.id(of: "d"))
    }
}
