import AccessPolicy
import Audit
import FHIR
import Foundation
import Testing

@testable import FHIRHTTP
@testable import FHIRServer

/// The audit as AuditEvents.
@Suite struct AuditEventTests {
    private let url = "http://server/fhir"

    private func events(_ fixture: RecordsFixture, _ query: String = "") async throws -> [JSON] {
        let (status, bundle) = try await fixture.get("/fhir/AuditEvent" + query)
        #expect(status == 200)
        return (bundle["entry"]?.array ?? []).compactMap { $0["resource"] }
    }

    private func own(_ participant: String, scopes: String = "patient/*.rs") throws -> AccessGrant {
        try AccessGrant(
            client: "app", person: "account-of-" + participant, role: .participant, patients: .only([participant]),
            scopes: AccessScopes(scopes))
    }

    @Test func readIsAnEventWithPersonAppPatientAndServer() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a", subject: "p1"))
        let service = fixture.routes.service.reached(at: url)
        _ = try await service.read(type: "Observation", id: "a", by: AuthenticatedCaller(own("p1")))
        let event = try #require(try await events(fixture).first)
        #expect(event["type"]?["code"] == "rest" && event["subtype"]?[0]?["code"] == "read")
        #expect(event["action"] == "R" && event["outcome"] == "0" && event["outcomeDesc"] == nil)
        #expect(event["recorded"]?.string?.hasSuffix("Z") == true)
        #expect(event["agent"]?[0]?["who"]?["identifier"]?["value"] == "account-of-p1")
        #expect(event["agent"]?[0]?["requestor"] == true && event["agent"]?[1]?["requestor"] == false)
        #expect(event["agent"]?[1]?["who"]?["identifier"]?["value"] == "app")
        #expect(event["source"]?["observer"]?["display"] == "Tributary")
        #expect(event["entity"]?[0]?["what"]?["reference"] == "Patient/p1")
        #expect(event["entity"]?[1]?["what"]?["reference"] == "Observation/a")
        // By its id.
        let id = try #require(event["id"]?.string)
        let (status, one) = try await fixture.get("/fhir/AuditEvent/" + id)
        #expect(status == 200 && one["id"] == event["id"] && one["agent"] == event["agent"])
        for unknown in ["0", "01", "99999", "a", "-1", "9999999999999999999"] {
            #expect(try await fixture.get("/fhir/AuditEvent/" + unknown).0 == 404)
        }
        try await fixture.close()
    }

    @Test func refusalIsAnEventWithItsReason() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a", subject: "p1"))
        let service = fixture.routes.service
        await #expect(throws: RecordsFailure.self) {
            _ = try await service.read(type: "Observation", id: "a", by: AuthenticatedCaller(own("p2")))
        }
        let event = try #require(try await events(fixture).first)
        #expect(event["outcome"] == "4" && event["outcomeDesc"] == "hidden-other-patient")
        try await fixture.close()
    }

    @Test func readsOfTheAuditAreEvents() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a", subject: "p1"))
        _ = try await fixture.ids("/fhir/Observation")
        let first = try await events(fixture, "?patient=p1")
        #expect(first.count == 1)
        let second = try await events(fixture, "?patient=Patient/p1")
        #expect(second.count == 2 && second[0]["entity"]?.array?.last?["what"]?["type"] == "AuditEvent")
        try await fixture.close()
    }

    @Test func pagesFollowByNextAndFilter() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a", subject: "p1"))
        for _ in 0..<5 { _ = try await fixture.ids("/fhir/Observation?subject=Patient/p1") }
        for query in ["?_count=2", "?_count=2&patient=p1", "?_count=2&date=ge2026-01-01&agent=x"] {
            var (path, ids, pages) = ("/fhir/AuditEvent" + query, [String](), 0)
            while pages < 40 {
                let (status, bundle) = try await fixture.get(path)
                #expect(status == 200)
                let page = (bundle["entry"]?.array ?? []).compactMap { $0["resource"]?["id"]?.string }
                #expect(page.count <= 2 && Set(ids).isDisjoint(with: page))
                ids += page
                pages += 1
                let next = bundle["link"]?.array?.first { $0["relation"] == "next" }
                guard let url = next?["url"]?.string, let mark = url.range(of: "/fhir/") else { break }
                path = String(url[mark.lowerBound...])
            }
            #expect(query.contains("agent") ? ids.isEmpty : ids.count >= 5, "\(query)")
        }
        let now = DateTime(Date()).text
        for (query, isEmpty) in [
            ("?date=gt2100", true), ("?date=lt2020-02", true), ("?date=ge2020&date=le\(now.prefix(10))", false),
        ] {
            let found = try await events(fixture, query)
            #expect(found.isEmpty == isEmpty, "\(query)")
        }
        try await fixture.close()
    }

    @Test(arguments: [
        "_sort=date", "_summary=count", "_include=*", "type=rest", "patient:Patient=p1", "patient=p1,p2",
        "patient=p1&patient=p2",
        "date=yesterday", "date=ne2020", "_cursor=x", "_cursor=n1", "_count=x", "agent=a&agent=b", "_elements=id",
    ])
    func otherParametersAreRefused(query: String) async throws {
        let fixture = try await RecordsFixture()
        #expect(try await fixture.get("/fhir/AuditEvent?" + query).0 == 400)
        try await fixture.close()
    }

    @Test func participantSeesOnlyEventsAboutThemselves() async throws {
        let fixture = try await RecordsFixture()
        for participant in ["p1", "p2"] {
            try await fixture.put(observation("of-\(participant)", subject: participant))
            _ = try await fixture.get("/fhir/Observation/of-\(participant)")
        }
        _ = try await fixture.ids("/fhir/Observation")
        let service = fixture.routes.service
        let grant = try own("p1")
        let bundle = try await service.auditEvents([], url: url, by: grant)
        let text = bundle.json.text()
        #expect(bundle.entry.count == 2 && text.contains("Patient/p1"))
        #expect(!text.contains("p2") && text.contains("Observation/of-p1"))
        #expect(try await service.auditEvents([("patient", "p2")], url: url, by: grant).entry.isEmpty)
        // One event by its id: those about others are not found.
        var found = 0
        for number in 1...4 {
            do {
                _ = try await service.auditEvent(id: String(number), url: url, by: grant)
                found += 1
            } catch let failure as RecordsFailure {
                #expect(failure == .notFound)
            }
        }
        #expect(found == 2)
        // The person sees their own reads of the audit.
        #expect(try await service.auditEvents([], url: url, by: grant).entry.count > 4)
        try await fixture.close()
    }

    @Test func otherGrantsAreRefusedAndAudited() async throws {
        let fixture = try await RecordsFixture()
        let scopes = try AccessScopes("system/*.rs")
        let grants = [
            try AccessGrant(client: "server", role: .service, patients: .all, scopes: scopes),
            try AccessGrant(client: "app", person: "doctor", role: .practitioner, patients: .all, scopes: scopes),
            try own("p1", scopes: "patient/Observation.rs"),
            try AccessGrant(
                client: "app", person: "staff", role: .staff, patients: .only(["p1"]), scopes: AccessScopes("user/*.rs")
            ),
            try AccessGrant(
                client: "app", person: "a", role: .participant, patients: .only(["p1", "p2"]),
                scopes: AccessScopes("patient/*.rs")),
            AccessGrant(Actor(id: "device", role: .device, participant: "p1")),
        ]
        let service = fixture.routes.service
        for grant in grants {
            for id in [nil, "1"] {
                let failure = await #expect(throws: RecordsFailure.self) {
                    if let id {
                        _ = try await service.auditEvent(id: id, url: url, by: grant)
                    } else {
                        _ = try await service.auditEvents([], url: url, by: grant)
                    }
                }
                #expect(failure == .auditNotPermitted && failure?.status == .forbidden)
                let row = try #require(try await fixture.access.audit.entries(limit: 1).first)
                #expect(!row.isAllowed && row.resourceType == "AuditEvent" && row.client == grant.client)
            }
        }
        try await fixture.close()
    }

    @Test func deletedParticipantIsNotNamed() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a", subject: "planted-participant"))
        _ = try await fixture.get("/fhir/Observation/a")
        try await fixture.database.write { transaction in
            _ = try AuditLog.forget("planted-participant", keepsAudit: false, in: transaction)
        }
        let found = try await events(fixture)
        let event = try #require(found.first { $0["subtype"]?[0]?["code"] == "read" })
        #expect(!event.text().contains("planted-participant"))
        #expect(event["entity"]?[0]?["what"]?["type"] == "Patient")
        #expect(event["entity"]?[1]?["what"]?["reference"] == nil)
        try await fixture.close()
    }

    @Test func kindOfEachActionHasCodesOfTheValueSet() throws {
        for action in Action.allCases.map(\.rawValue) + ["other"] {
            let kind = AuditEventKind(action)
            let code = try #require(kind.type.code)
            #expect(code == "rest" || (110_100...110_114).contains(Int(code) ?? 0), "\(action)")
            #expect(kind.subtypes.last?.code == action)
        }
    }
}
