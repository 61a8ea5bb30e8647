import AccessPolicy
import FHIR
import Foundation
import Testing

@testable import FHIRHTTP
@testable import FHIRServer

/// The resource that the claim `fhirUser` names is readable with its token (SMART App Launch 2.2), and no other one.
@Suite struct OwnResourceTests {
    private func grant(
        _ own: OwnResource?, scopes: String = "openid fhirUser launch/patient patient/Observation.rs", end: Date? = nil
    ) throws -> AccessGrant {
        try AccessGrant(
            client: "app", person: "dora", role: .practitioner, patients: .all, patientInContext: "p1",
            scopes: AccessScopes(scopes), ownResource: own, end: end)
    }

    private func status(
        _ service: RecordsService, type: String, id: String, version: String? = nil, by grant: AccessGrant
    ) async throws -> Int {
        do {
            let caller = AuthenticatedCaller(grant)
            if let version {
                _ = try await service.read(type: type, id: id, version: version, by: caller)
            } else {
                _ = try await service.read(type: type, id: id, by: caller)
            }
            return 200
        } catch let failure as RecordsFailure { return failure.status.code }
    }

    @Test func ownResourceOfThePersonIsReadableWithAnyResourceScopes() async throws {
        let fixture = try await RecordsFixture()
        for id in ["d1", "d2"] { try await fixture.put(#"{"resourceType":"Practitioner","id":"\#(id)"}"#) }
        try await fixture.put(#"{"resourceType":"Patient","id":"d1"}"#)
        let service = RecordsService(database: fixture.database, access: fixture.access, clock: { Date() })
        let own = try grant(OwnResource(type: "Practitioner", id: "d1"))
        #expect(try await status(service, type: "Practitioner", id: "d1", by: own) == 200)
        #expect(try await status(service, type: "Practitioner", id: "d1", version: "1", by: own) == 200)
        for (type, id) in [("Practitioner", "d2"), ("Patient", "d1"), ("Practitioner", "none")] {
            #expect(try await status(service, type: type, id: id, by: own) == 403, "\(type)/\(id)")
        }
        // Neither without the scopes, nor without the claim, nor after the end.
        for other in [
            try grant(nil),
            try grant(OwnResource(type: "Practitioner", id: "d1"), scopes: "openid patient/Observation.rs"),
            try grant(OwnResource(type: "Practitioner", id: "d1"), scopes: "fhirUser patient/Observation.rs"),
        ] { #expect(try await status(service, type: "Practitioner", id: "d1", by: other) == 403) }
        let ended = try grant(OwnResource(type: "Practitioner", id: "d1"), end: Date(timeIntervalSince1970: 1))
        #expect(try await status(service, type: "Practitioner", id: "d1", by: ended) == 401)
        // Only a read is allowed: no search, no history.
        await #expect(throws: RecordsFailure.self) {
            try await service.history(
                type: "Practitioner", id: "d1", page: HistoryPage([], strict: true), url: "u", by: own)
        }
        await #expect(throws: RecordsFailure.self) {
            try await service.search(
                .type("Practitioner"), parameters: [], strict: true, url: "u", by: AuthenticatedCaller(own))
        }
        try await fixture.close()
    }

    @Test func labelsOfTheOwnResourceApply() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(
            """
            {"resourceType":"Practitioner","id":"d1","meta":{"security":[{"system":            "http://terminology.hl7.org/CodeSystem/v3-Confidentiality","code":"V"}]}}
            """)
        let service = RecordsService(database: fixture.database, access: fixture.access, clock: { Date() })
        #expect(
            try await status(
                service, type: "Practitioner", id: "d1", by: grant(OwnResource(type: "Practitioner", id: "d1"))) == 404)
        try await fixture.close()
    }

    @Test func missingOwnResourceIsNotFound() async throws {
        let fixture = try await RecordsFixture()
        let service = RecordsService(database: fixture.database, access: fixture.access, clock: { Date() })
        #expect(
            try await status(
                service, type: "Practitioner", id: "d9", by: grant(OwnResource(type: "Practitioner", id: "d9"))) == 404)
        try await fixture.close()
    }
}
