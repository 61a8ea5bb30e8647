import FHIR
import Foundation
import Testing

/// The order and the links of a transaction (https://hl7.org/fhir/R4/http.html#trules).
@Suite struct TransactionTests {
    private func fixture() async throws -> RecordsFixture {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        return fixture
    }

    private func entry(
        _ method: String, url: String, resource: String? = nil, fullURL: String? = nil, more: String = ""
    ) -> String {
        let body = resource.map { #","resource":\#($0)"# } ?? ""
        let full = fullURL.map { #""fullUrl":"\#($0)","# } ?? ""
        return #"{\#(full)"request":{"method":"\#(method)","url":"\#(url)"\#(more)}\#(body)}"#
    }

    private func patient(_ value: String, id: String? = nil) -> String {
        let id = id.map { #""id":"\#($0)","# } ?? ""
        return #"{"resourceType":"Patient",\#(id)"identifier":[{"system":"urn:s","value":"\#(value)"}]}"#
    }

    private func basic(_ reference: String, _ more: String = "") -> String {
        #"{"resourceType":"Basic","code":{"text":"x"},"subject":{"reference":"\#(reference)"}\#(more)}"#
    }

    private func send(_ fixture: RecordsFixture, _ entries: String...) async throws -> (status: Int, json: JSON) {
        let answer = try await fixture.send(
            .post, "/fhir",
            body: #"{"resourceType":"Bundle","type":"transaction","entry":[\#(entries.joined(separator: ","))]}"#)
        return (answer.status, answer.json)
    }

    private func statuses(_ json: JSON) -> [String] {
        (json["entry"]?.array ?? []).map { String($0["response"]?["status"]?.string?.prefix(3) ?? "") }
    }

    private func subject(_ json: JSON, _ index: Int) -> String? {
        json["entry"]?[index]?["resource"]?["subject"]?["reference"]?.string
    }

    // MARK: Conditional references

    @Test func conditionalReferenceFindsAResourceOfTheTransaction() async throws {
        let fixture = try await fixture()
        for (index, condition) in [
            "", #","ifNoneExist":"identifier=urn:s|1""#, #","ifNoneExist":"identifier=urn:s|1""#,
        ]
        .enumerated() {
            if index == 1 { _ = try await fixture.send(.delete, "/fhir/Patient?identifier=urn:s%7C1") }
            let (status, json) = try await send(
                fixture, entry("POST", url: "Basic", resource: basic("Patient?identifier=urn:s|1")),
                entry("POST", url: "Patient", resource: patient("1"), more: condition))
            #expect(status == 200 && statuses(json) == ["201", index == 2 ? "200" : "201"], "\(index) \(json)")
            let id = json["entry"]?[1]?["resource"]?["id"]?.string
            #expect(id != nil && subject(json, 0) == id.map { "Patient/\($0)" }, "\(index) \(json)")
        }
        try await fixture.close()
    }

    @Test func conditionalReferenceUsesTheStateAfterTheTransaction() async throws {
        let fixture = try await fixture()
        _ = try await fixture.send(.put, "/fhir/Patient/p1", body: patient("1", id: "p1"))
        let rows = try await fixture.rows
        // 1. Neither a deleted resource, nor one with another identifier afterwards.
        for other in [
            entry("DELETE", url: "Patient/p1"), entry("DELETE", url: "Patient?identifier=urn:s|1"),
            entry("PUT", url: "Patient/p1", resource: patient("2", id: "p1")),
        ] {
            let (status, json) = try await send(
                fixture, entry("POST", url: "Basic", resource: basic("Patient?identifier=urn:s|1")), other)
            #expect(status == 412 && code(json) == "reference-unresolved", "\(json)")
            #expect(json["issue"]?[0]?["diagnostics"]?.string?.contains("Entry 1") == true)
        }
        // 2. Not one of two.
        let (status, json) = try await send(
            fixture, entry("POST", url: "Basic", resource: basic("Patient?identifier=urn:s|1")),
            entry("POST", url: "Patient", resource: patient("1"))
        )
        #expect(status == 412 && code(json) == "multiple-matches", "\(json)")
        #expect(try await fixture.rows == rows)
        // 3. The result of a patch, of an update, or of restoring a deleted resource.
        let patch =
            #"{"resourceType":"Binary","contentType":"application/json-patch+json","data":"\#(Data(#"[{"op":"replace","path":"/identifier/0/value","value":"3"}]"#.utf8).base64EncodedString())"}"#
        let patched = try await send(
            fixture, entry("POST", url: "Basic", resource: basic("Patient?identifier=urn:s|3")),
            entry("PATCH", url: "Patient/p1", resource: patch))
        #expect(subject(patched.json, 0) == "Patient/p1", "\(patched.json)")
        let replaced = try await send(
            fixture, entry("POST", url: "Basic", resource: basic("Patient?identifier=urn:s|3")),
            entry("DELETE", url: "Patient/p1"),
            entry("POST", url: "Patient", resource: patient("3")))
        #expect(statuses(replaced.json) == ["201", "204", "201"], "\(replaced.json)")
        #expect(
            subject(replaced.json, 0)
                == (replaced.json["entry"]?[2]?["resource"]?["id"]?.string).map { "Patient/\($0)" })
        // 4. Also with this server's base URL.
        let absolute = try await send(
            fixture, entry("POST", url: "Basic", resource: basic("http://localhost/fhir/Patient?identifier=urn:s|3")))
        #expect(subject(absolute.json, 0) == subject(replaced.json, 0), "\(absolute.json)")
        try await fixture.close()
    }

    @Test func entriesMayReferToEachOtherInACircle() async throws {
        let fixture = try await fixture()
        func linked(_ value: String, _ reference: String) -> String {
            #"{"resourceType":"Basic","code":{"text":"x"},"identifier":[{"system":"urn:b","value":"\#(value)"}],"subject":{"reference":"\#(reference)"}}"#
        }
        let (status, json) = try await send(
            fixture, entry("POST", url: "Basic", resource: linked("1", "urn:uuid:2"), fullURL: "urn:uuid:1"),
            entry("POST", url: "Basic", resource: linked("2", "Basic?identifier=urn:b|1"), fullURL: "urn:uuid:2"),
            entry("POST", url: "Basic", resource: linked("3", "urn:uuid:3"), fullURL: "urn:uuid:3"))
        let ids = (json["entry"]?.array ?? []).compactMap { $0["resource"]?["id"]?.string }
        #expect(status == 200 && ids.count == 3, "\(json)")
        #expect((0..<3).map { subject(json, $0) } == ["Basic/\(ids[1])", "Basic/\(ids[0])", "Basic/\(ids[2])"])
        try await fixture.close()
    }

    @Test func aSearchThatNeedsMoreThanTheWrittenResourcesIsRefused() async throws {
        let fixture = try await fixture()
        let rows = try await fixture.rows
        let (status, json) = try await send(
            fixture, entry("POST", url: "Basic", resource: basic("Observation?subject:Patient.identifier=urn:s|1")),
            entry("POST", url: "Observation", resource: observation("x")))
        #expect(status == 400 && code(json) == "criteria-undecidable", "\(json)")
        #expect(try await fixture.rows == rows)
        try await fixture.close()
    }

    // MARK: Links

    private static let old = "http://old.example/fhir"

    /// The reference of an entry, and its result: `#` is the new id.
    @Test(arguments: [
        ("Patient/77", "Patient/#"), ("http://old.example/fhir/Patient/77", "Patient/#"),
        ("Patient/77/_history/3", "Patient/#/_history/1"),
        ("http://old.example/fhir/Patient/77/_history/3", "Patient/#/_history/1"),
        ("Patient/77#part", "Patient/##part"), ("Patient/78", "Patient/78"), ("#77", "#77"),
        ("http://other.example/fhir/Patient/77", "http://other.example/fhir/Patient/77"),
        ("urn:uuid:05EFABF0-4be2-4561-91ce-51548425acb9", "Organization/#"), ("urn:oid:1.2.3", "Organization/#"),
    ])
    func referencesFollowTheFullURLs(reference: String, expected: String) async throws {
        let fixture = try await fixture()
        let url = [
            "urn:oid:1.2.3": "urn:oid:1.2.3",
            "urn:uuid:05EFABF0-4be2-4561-91ce-51548425acb9":
                "urn:uuid:05efabf0-4be2-4561-91ce-51548425acb9",
        ][reference]
        let (_, json) = try await send(
            fixture,
            url.map {
                entry(
                    "POST", url: "Organization", resource: #"{"resourceType":"Organization","name":"x"}"#, fullURL: $0)
            }
                ?? entry("POST", url: "Patient", resource: patient("1", id: "77"), fullURL: Self.old + "/Patient/77"),
            entry("POST", url: "Basic", resource: basic(reference), fullURL: Self.old + "/Basic/88"))
        let id = try #require(json["entry"]?[0]?["resource"]?["id"]?.string, "\(json)")
        #expect(
            subject(json, 1)
                == expected.replacingOccurrences(of: "/#", with: "/\(id)"), "\(json)")
        try await fixture.close()
    }

    /// A relative reference refers to the entry's own server, or to this one if the entry has no server.
    @Test func relativeReferencesOfEntriesOfNoServerStay() async throws {
        let fixture = try await fixture()
        let (_, json) = try await send(
            fixture, entry("POST", url: "Patient", resource: patient("1", id: "77"), fullURL: Self.old + "/Patient/77"),
            entry("POST", url: "Basic", resource: basic("Patient/77"), fullURL: "urn:uuid:8"),
            entry("POST", url: "Basic", resource: basic("Patient/77"), fullURL: "http://third.example/fhir/Basic/1"))
        #expect([subject(json, 1), subject(json, 2)] == ["Patient/77", "Patient/77"], "\(json)")
        try await fixture.close()
    }

    @Test func aVersionedReferenceToAnUpdatedResourceHasItsNextVersion() async throws {
        let fixture = try await fixture()
        for value in ["1", "2"] {
            _ = try await fixture.send(.put, "/fhir/Patient/p1", body: patient(value, id: "p1"))
        }
        let (_, json) = try await send(
            fixture,
            entry("PUT", url: "Patient/p1", resource: patient("3", id: "p1"), fullURL: Self.old + "/Patient/p1"),
            entry("POST", url: "Basic", resource: basic("Patient/p1/_history/9"), fullURL: Self.old + "/Basic/1"))
        #expect(subject(json, 1) == "Patient/p1/_history/3", "\(json)")
        #expect(json["entry"]?[0]?["response"]?["etag"] == "W/\"3\"")
        try await fixture.close()
    }

    /// Elements of the types uri, url, oid and uuid, and narratives; canonical URLs, names and texts stay.
    @Test func linksInAllElementsAreReplaced() async throws {
        let fixture = try await fixture()
        let (uuid, oid, url) = (
            "urn:uuid:05efabf0-4be2-4561-91ce-51548425acb9", "urn:oid:1.2.3", Self.old + "/Patient/77"
        )
        let narrative =
            "<div xmlns=\\\"http://www.w3.org/1999/xhtml\\\"><a title='x' href='\(url)'>\(url)</a><A HREF=\\\"Patient/77\\\">b</A><img alt=\\\"a\\\" src=\\\"\(uuid)\\\"/><a href=\\\"#local\\\">c</a><a href=\\\"\(url)?q=&lt;1&amp;r\\\">e</a><p class=\\\"\(url)\\\">d</p></div>"
        let members = """
            ,"text":{"status":"generated","div":"\(narrative)"},"implicitRules":"\(url)",\
            "extension":[{"url":"urn:a","valueUri":"\(url)"},{"url":"urn:b","valueUrl":"Patient/77"},{"url":"urn:c","valueOid":"\(oid)"},\
            {"url":"urn:d","valueUuid":"\(uuid)"},{"url":"urn:e","valueCanonical":"\(url)"},{"url":"urn:f","valueString":"\(url)"},\
            {"url":"\(uuid)","valueAttachment":{"url":"\(uuid)"}},{"url":"urn:g","valueIdentifier":{"system":"\(url)","value":"\(uuid)"}},\
            {"url":"urn:h","valueReference":{"reference":"\(url)","identifier":{"value":"\(url)"}}}],\
            "contained":[{"resourceType":"Basic","id":"c","code":{"text":"y"},"subject":{"reference":"Patient/77"}},\
            {"resourceType":"Questionnaire","id":"q","status":"draft","url":"\(url)","derivedFrom":["\(url)"]}]
            """
        let (status, json) = try await send(
            fixture, entry("POST", url: "Patient", resource: patient("1"), fullURL: url),
            entry("POST", url: "Organization", resource: #"{"resourceType":"Organization","name":"x"}"#, fullURL: uuid),
            entry("POST", url: "Location", resource: #"{"resourceType":"Location","name":"x"}"#, fullURL: oid),
            entry("POST", url: "Basic", resource: basic("#c", members), fullURL: Self.old + "/Basic/1"))
        #expect(status == 200, "\(json)")
        let entries = json["entry"]?.array ?? []
        let ids = entries.compactMap { $0["resource"]?["id"]?.string }
        try #require(ids.count == 4)
        let (patient, organization, location) = ("Patient/\(ids[0])", "Organization/\(ids[1])", "Location/\(ids[2])")
        let made = entries[3]["resource"] ?? .null
        let extensions = made["extension"]?.array ?? []
        #expect(extensions[0]["valueUri"]?.string == patient && extensions[1]["valueUrl"]?.string == patient, "\(made)")
        #expect(extensions[2]["valueOid"]?.string == location && extensions[3]["valueUuid"]?.string == organization)
        #expect(extensions[4]["valueCanonical"]?.string == url && extensions[5]["valueString"]?.string == url)
        #expect(
            extensions[6]["url"]?.string == uuid && extensions[6]["valueAttachment"]?["url"]?.string == organization)
        #expect(extensions[7]["valueIdentifier"] == ["system": .string(url), "value": .string(uuid)])
        #expect(extensions[8]["valueReference"]?["reference"]?.string == patient)
        #expect(extensions[8]["valueReference"]?["identifier"]?["value"]?.string == url)
        #expect(made["implicitRules"]?.string == patient && made["subject"]?["reference"] == "#c")
        #expect(made["contained"]?[0]?["subject"]?["reference"]?.string == patient)
        #expect(made["contained"]?[1]?["derivedFrom"] == .array([.string(url)]))
        #expect(
            made["text"]?["div"]?.string
                == "<div xmlns=\"http://www.w3.org/1999/xhtml\"><a title='x' href='\(patient)'>\(url)</a><A HREF=\"\(patient)\">b</A><img alt=\"a\" src=\"\(organization)\"/><a href=\"#local\">c</a><a href=\"\(patient)?q=&lt;1&amp;r\">e</a><p class=\"\(url)\">d</p></div>"
        )
        try await fixture.close()
    }

    // MARK: Order

    @Test func deletionsComeFirst() async throws {
        let fixture = try await fixture()
        _ = try await fixture.send(.put, "/fhir/Patient/p1", body: patient("1", id: "p1"))
        let (status, json) = try await send(
            fixture,
            entry("POST", url: "Patient", resource: patient("1"), more: #","ifNoneExist":"identifier=urn:s|1""#),
            entry("DELETE", url: "Patient?identifier=urn:s|1"))
        #expect(status == 200 && statuses(json) == ["201", "204"], "\(json)")
        #expect(try await fixture.send(.get, "/fhir/Patient/p1").status == 410)
        let again = try await send(
            fixture, entry("PUT", url: "Patient?identifier=urn:s|1", resource: patient("1")),
            entry("DELETE", url: "Patient?identifier=urn:s|1"))
        #expect(statuses(again.json) == ["201", "204"], "\(again.json)")
        #expect(try await fixture.ids("/fhir/Patient").count == 1)
        try await fixture.close()
    }

    @Test func twoEntriesOfOneResourceAreRefused() async throws {
        let fixture = try await fixture()
        _ = try await fixture.send(.put, "/fhir/Patient/p1", body: patient("1", id: "p1"))
        let rows = try await fixture.rows
        let put = entry("PUT", url: "Patient?identifier=urn:s|9", resource: patient("9"))
        let create = entry(
            "POST", url: "Patient", resource: patient("9"), more: #","ifNoneExist":"identifier=urn:s|9""#)
        for (index, others) in [
            [entry("POST", url: "Patient", resource: patient("9")), put],
            [entry("POST", url: "Patient", resource: patient("9")), create],
            [put, create], [create, create], [put, entry("PUT", url: "Patient/p2", resource: patient("9", id: "p2"))],
            [put, entry("PUT", url: "Patient?identifier=urn:s|9&_id=none", resource: patient("9"))],
            [entry("DELETE", url: "Patient/p1"), entry("PUT", url: "Patient/p1", resource: patient("2", id: "p1"))],
            [entry("DELETE", url: "Patient/p1"), entry("DELETE", url: "Patient?identifier=urn:s|1")],
            [
                entry("DELETE", url: "Patient/none"),
                entry("PUT", url: "Patient/none", resource: patient("2", id: "none")),
            ],
            [
                entry("PUT", url: "Patient/p1", resource: patient("2", id: "p1")),
                entry("PUT", url: "Patient?identifier=urn:s|1", resource: patient("3")),
            ],
        ].enumerated() {
            let (status, json) = try await send(fixture, others[0], others[1])
            #expect(status == 400 && code(json) == "resource-named-twice", "\(index) \(json)")
            #expect(try await fixture.rows == rows)
        }
        // An existing resource is written by neither.
        let present = entry(
            "POST", url: "Patient", resource: patient("1"), more: #","ifNoneExist":"identifier=urn:s|1""#)
        let (_, json) = try await send(
            fixture, present, present, entry("DELETE", url: "Patient?identifier=urn:s|none"),
            entry("DELETE", url: "Patient?identifier=urn:s|none"))
        #expect(statuses(json) == ["200", "200", "204", "204"], "\(json)")
        try await fixture.close()
    }

    // MARK: Atomicity

    @Test func readingEntriesSeeTheWritesAndTheirFailureFailsTheTransaction() async throws {
        let fixture = try await fixture()
        for id in ["p1", "p2"] { _ = try await fixture.send(.put, "/fhir/Patient/\(id)", body: patient(id, id: id)) }
        let (status, json) = try await send(
            fixture, entry("GET", url: "Patient/p1"),
            entry("PUT", url: "Patient/p1", resource: patient("new", id: "p1")),
            entry("PUT", url: "Patient/p3", resource: patient("p3", id: "p3")), entry("GET", url: "Patient/p3"),
            entry("GET", url: "Patient/p3/$everything"), entry("GET", url: "Patient/p1/_history/2"),
            entry("GET", url: "Patient/p1/_history"), entry("GET", url: "Patient?identifier=urn:s|new"),
            entry("DELETE", url: "Patient/p2"), entry("GET", url: "Patient/p2/_history"))
        #expect(status == 200 && Set(statuses(json)) == ["200", "201", "204"], "\(json)")
        let entries = json["entry"]?.array ?? []
        #expect(entries.first?["resource"]?["identifier"]?[0]?["value"] == "new")
        #expect(entries[6]["resource"]?["total"] == 2 && entries[7]["resource"]?["total"] == 1)
        #expect(entries.last?["resource"]?["total"] == 2)
        let rows = try await fixture.rows
        for failing in ["Patient/none", "Patient/p2", "Patient/p3/_history/9", "Patient/p2/$everything"] {
            let (status, json) = try await send(
                fixture, entry("POST", url: "Patient", resource: patient("x")), entry("GET", url: failing))
            #expect([404, 410].contains(status), "\(failing) \(json)")
            #expect(json["issue"]?[0]?["diagnostics"]?.string?.contains("Entry 2") == true, "\(json)")
            #expect(try await fixture.rows == rows)
        }
        for failing in ["Patient/p3", "Patient/p3/$everything", "Patient/p3/Observation"] {
            let (status, json) = try await send(fixture, entry("DELETE", url: "Patient/p3"), entry("GET", url: failing))
            #expect(status == 410, "\(failing) \(json)")
            #expect(try await fixture.rows == rows)
        }
        try await fixture.close()
    }

    @Test func aRefusalNamesItsEntryAmongAll() async throws {
        let fixture = try await fixture()
        let (status, json) = try await send(
            fixture, entry("GET", url: "Patient"), entry("GET", url: "Observation"),
            entry("PUT", url: "Patient/p1", resource: patient("1", id: "p1"), more: #","ifMatch":"W/\"3\"""#))
        #expect(status == 412 && json["issue"]?[0]?["diagnostics"]?.string?.contains("Entry 3") == true, "\(json)")
        try await fixture.close()
    }

    @Test func twoEntriesOfOneFullURLAreRefused() async throws {
        let fixture = try await fixture()
        let (status, json) = try await send(
            fixture, entry("POST", url: "Patient", resource: patient("1"), fullURL: "urn:uuid:1"),
            entry("POST", url: "Patient", resource: patient("2"), fullURL: "urn:uuid:1"))
        #expect(status == 400 && code(json) == "full-url-twice", "\(json)")
        try await fixture.close()
    }
}
