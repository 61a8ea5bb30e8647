import FHIR
import Foundation
import Hummingbird
import HummingbirdTesting
import Testing

/// Searches in the form that clients send.
@Suite struct SearchHTTPTests {
    private func filled() async throws -> RecordsFixture {
        let fixture = try await RecordsFixture()
        try await fixture.put(
            #"{"resourceType":"Patient","id":"p1","name":[{"family":"Grey"}],"text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\">Grey</div>"},"photo":[{"data":"AAAA"}]}"#
        )
        try await fixture.put(observation("a"))
        try await fixture.put(observation("b", date: "2026-02-01"))
        try await fixture.put(observation("c", subject: "p2"))
        return fixture
    }

    /// Returns the matches, the included resources (after a `+`), and the bundle.
    private func found(_ path: String, _ fixture: RecordsFixture) async throws -> ([String], JSON) {
        let (status, bundle) = try await fixture.get(path)
        #expect(status == 200, "\(path)")
        let ids = (bundle["entry"]?.array ?? []).map { entry in
            (entry["search"]?["mode"] == "include" ? "+" : "") + (entry["resource"]?["id"]?.string ?? "")
        }
        return (ids, bundle)
    }

    private func form(_ path: String, body: String, in fixture: RecordsFixture) async throws -> (Int, JSON) {
        let token = fixture.token
        return try await fixture.application.test(.router) { client in
            try await client.execute(
                uri: path, method: .post,
                headers: [.authorization: "Bearer \(token)", .contentType: "application/x-www-form-urlencoded"],
                body: ByteBuffer(string: body)
            ) { (Int($0.status.code), try JSON(Array($0.body.readableBytesView))) }
        }
    }

    @Test func chainsIncludesAndOrdersAreAnswered() async throws {
        let fixture = try await filled()
        #expect(try await found("/fhir/Observation?subject:Patient.name=grey", fixture).0 == ["a", "b"])
        #expect(try await found("/fhir/Observation?subject%3APatient.name=grey&_sort=date", fixture).0 == ["b", "a"])
        #expect(try await found("/fhir/Patient?_has:Observation:patient:date=lt2026-02-15", fixture).0 == ["p1"])
        let (ids, bundle) = try await found(
            "/fhir/Observation?_id=a&_include=Observation:subject&_elements=code", fixture)
        #expect(ids == ["a", "+p1"] && bundle["total"] == 1)
        #expect(bundle["entry"]?[0]?["resource"]?["subject"] == nil)
        #expect(bundle["entry"]?[1]?["resource"]?["name"] != nil)
        #expect(bundle["entry"]?[1]?["fullUrl"]?.string?.hasSuffix("/fhir/Patient/p1") == true)
        try await fixture.close()
    }

    @Test func pagesOfAnOrderFollowEachOther() async throws {
        let fixture = try await filled()
        var path = "/fhir/Observation?_sort=-date&_count=1&_total=none"
        var seen: [String] = []
        for _ in 0..<4 {
            let (ids, bundle) = try await found(path, fixture)
            seen += ids
            #expect(bundle["total"] == nil)
            let next = bundle["link"]?.array?.first { $0["relation"] == "next" }?["url"]?.string
            guard let next, let start = next.range(of: "/fhir/") else { break }
            path = String(next[start.lowerBound...])
            #expect(path.contains("_sort=-date") && path.contains("_total=none"))
        }
        #expect(seen == ["a", "c", "b"])
        try await fixture.close()
    }

    @Test func aPartOfAResourceIsRead() async throws {
        let fixture = try await filled()
        let summary = try await fixture.get("/fhir/Patient/p1?_summary=true").1
        #expect(summary["name"] != nil && summary["photo"] == nil && summary["text"] == nil)
        #expect(summary["meta"]?["tag"]?[0]?["code"] == "SUBSETTED")
        let text = try await found("/fhir/Patient?_summary=text", fixture).1["entry"]?[0]?["resource"]
        #expect(text?["text"] != nil && text?["name"] == nil)
        let elements = try await fixture.get("/fhir/Patient/p1?_elements=photo").1
        #expect(elements["photo"] != nil && elements["name"] == nil)
        #expect(try await fixture.get("/fhir/Patient/p1?_summary=count").0 == 400)
        #expect(try await fixture.get("/fhir/Patient/p1?_summary=false").1["photo"] != nil)
        try await fixture.close()
    }

    @Test func systemsAndCompartmentsAreSearchedByAddressAndForm() async throws {
        let fixture = try await filled()
        #expect(try await found("/fhir?_type=Patient,Observation&_id=a,p1", fixture).0 == ["p1", "a"])
        #expect(try await found("/fhir/?_id=c", fixture).0 == ["c"])
        #expect(try await found("/fhir/Patient/p1/Observation?_sort=date", fixture).0 == ["b", "a"])
        #expect(try await found("/fhir/Patient/p1/*", fixture).0 == ["p1", "a", "b"])
        let (ids, bundle) = try await found("/fhir/Patient/p1/*?_type=Observation&_count=1", fixture)
        #expect(ids == ["a"])
        let urls = (bundle["link"]?.array ?? []).compactMap { $0["url"]?.string }
        #expect(urls.count == 2 && urls.allSatisfy { $0.contains("/fhir/Patient/p1/*?_type=Observation&") })
        for (path, body, total) in [
            ("/fhir/_search", "_type=Observation&_id=a,b", 2), ("/fhir/Patient/p1/_search", "_id=a", 1),
            ("/fhir/Patient/p1/Observation/_search?_id=a,b,c", "date=lt2026-02-15", 1),
            ("/fhir/Observation/_search", "subject:Patient.name=grey", 2),
        ] {
            let (status, json) = try await form(path, body: body, in: fixture)
            #expect(status == 200 && json["total"]?.text() == "\(total)", "\(path) \(json)")
        }
        for path in ["Observation/a/Patient", "Patient/p1/Organization", "Patient/p1/$nothing", "Patient/p1/Nonsense"] {
            #expect(try await fixture.get("/fhir/" + path).0 == 404, "\(path)")
        }
        try await fixture.close()
    }

    @Test func callerWithoutSearchPermissionIsRefused() async throws {
        var fixture = try await filled()
        try await fixture.addGrant("reader", scopes: "user/Patient.r")
        try await fixture.addGrant("some", scopes: "user/Observation.rs", patients: .only(["p1"]))
        for path in ["/fhir?_id=a", "/fhir/Observation", "/fhir/Patient/p1/*", "/fhir/Patient/p1/Observation"] {
            #expect(try await fixture.get(path, token: "reader").0 == 403, "\(path)")
        }
        let (status, bundle) = try await fixture.get("/fhir?_id=a,c,p1&_include=Observation:subject", token: "some")
        #expect(status == 200 && bundle["total"] == 1 && bundle["entry"]?.array?.count == 1)
        #expect(try await fixture.get("/fhir/Patient/p2/*", token: "some").1["total"] == 0)
        #expect(try await fixture.get("/fhir/Patient/p1/Patient", token: "some").0 == 403)
        try await fixture.close()
    }

    /// A chained parameter can be a condition of a write; parameters that only shape the response are not conditions.
    @Test func conditionsAgreeWithSearches() async throws {
        var fixture = try await filled()
        try await fixture.addWriter()
        let chain = "/fhir/Observation?subject:Patient.name=grey&date=lt2026-02-15"
        let body = observation("b", code: "new", date: "2026-02-01")
        #expect(try await fixture.send(.put, chain, body: body).status == 200)
        #expect(
            try await fixture.send(.put, chain + "&_include=Observation:subject&_sort=date", body: body).status == 200)
        #expect(try await found("/fhir/Observation?code=new", fixture).0 == ["b"])
        let nothing = try await fixture.send(.delete, "/fhir/Observation?_sort=date&_include=Observation:subject")
        #expect(nothing.status == 412 || nothing.status == 400)
        #expect(try await found("/fhir/Observation", fixture).0.count == 3)
        try await fixture.close()
    }
}
