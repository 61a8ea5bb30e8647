import AccessPolicy
import FHIR
import Foundation
import HTTPTypes
import Hummingbird
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import BulkExport
@testable import FHIRServer
@testable import RecordStorage
@testable import ServerHTTP

/// Exports over the API.
@Suite struct ExportTests {
    // MARK: Setup

    private func observation(_ id: String, of patient: String = "a", more: String = "") -> String {
        #"{"resourceType":"Observation","id":"\#(id)","status":"final","subject":{"reference":"Patient/\#(patient)"}\#(more)}"#
    }

    private func fixture(_ limits: ExportLimits = ExportLimits()) async throws -> RecordsFixture {
        var fixture = try await RecordsFixture()
        fixture.exports = Exports(
            database: fixture.database, access: fixture.access,
            folder: try ExportFolder(fixture.folder.appendingPathComponent("exports")), limits: limits,
            clock: { Date() })
        return fixture
    }

    private func filled(_ limits: ExportLimits = ExportLimits()) async throws -> RecordsFixture {
        let fixture = try await fixture(limits)
        for patient in ["a", "b", "c"] {
            try await fixture.put(#"{"resourceType":"Patient","id":"\#(patient)"}"#)
            for number in 0..<5 { try await fixture.put(observation("\(patient)\(number)", of: patient)) }
        }
        try await fixture.put(#"{"resourceType":"Organization","id":"org"}"#)
        try await fixture.put(
            observation("ab", of: "a", more: #","performer":[{"reference":"Patient/b"}]"#))
        return fixture
    }

    private static let preferring: HTTPFields = [.prefer: "respond-async", .accept: "application/fhir+json"]

    private func path(_ url: String?) throws -> String {
        let url = try #require(url)
        return String(url[try #require(url.range(of: "/fhir/")).lowerBound...])
    }

    /// Starts an export and returns the path of its status.
    private func ask(
        _ query: String = "$export", token: String? = nil, body: String? = nil, in fixture: RecordsFixture
    ) async throws -> String {
        var headers = Self.preferring
        if body != nil { headers[.contentType] = "application/fhir+json" }
        let answer = try await fixture.send(
            body == nil ? .get : .post, "/fhir/" + query, body: body, token: token ?? fixture.token, headers: headers)
        #expect(answer.status == 202, "\(query): \(answer.json)")
        return try path(answer.headers[.contentLocation])
    }

    /// Returns all ids of an export's files by type.
    private func run(
        _ query: String = "$export", token: String? = nil, body: String? = nil, in fixture: RecordsFixture
    ) async throws -> (ids: [String: [String]], manifest: JSON) {
        let status = try await ask(query, token: token, body: body, in: fixture)
        let exports = try #require(fixture.exports)
        while try await exports.workOnNext() {}
        let (code, manifest) = try await fixture.get(status, token: token)
        #expect(code == 200, "\(manifest)")
        var ids: [String: [String]] = [:]
        for file in manifest["output"]?.array ?? [] {
            let lines = try await self.lines(path(file["url"]?.string), token: token, in: fixture)
            #expect(Int(file["count"]?.integer ?? -1) == lines.count)
            let type = file["type"]?.string ?? ""
            #expect(lines.allSatisfy { $0["resourceType"]?.string == type })
            ids[type, default: []] += lines.compactMap { $0["id"]?.string }
        }
        return (ids, manifest)
    }

    private func lines(_ path: String, token: String? = nil, in fixture: RecordsFixture) async throws -> [JSON] {
        let (status, type, text) = try await fixture.text(path, token: token)
        #expect(status == 200 && type == "application/fhir+ndjson", "\(path) \(text)")
        return try text.split(separator: "\n").map { try JSON(Array($0.utf8)) }
    }

    // MARK: Protocol

    @Test func exportIsRequestedPolledAndFetched() async throws {
        let fixture = try await filled()
        let refused = try await fixture.send(.get, "/fhir/$export", token: fixture.token, headers: [:])
        #expect(refused.status == 400 && code(refused.json) == "respond-async-missing")
        #expect(try await fixture.send(.get, "/fhir/$export", token: "x", headers: Self.preferring).status == 401)
        let status = try await ask("$export?_outputFormat=application/fhir%2Bndjson", in: fixture)
        let waiting = try await fixture.send(.get, status, token: fixture.token, headers: [:])
        #expect(waiting.status == 202)
        #expect(waiting.headers[.progress] == "waiting" && waiting.headers[.retryAfter] == "1")
        let exports = try #require(fixture.exports)
        #expect(try await exports.workOnNext())
        let done = try await fixture.send(.get, status, token: fixture.token, headers: [:])
        #expect(done.status == 200 && done.headers[.expires] != nil)
        #expect(done.headers[.contentType] == "application/json")
        #expect(
            done.json.object?.members.map(\.key) == [
                "transactionTime", "request", "requiresAccessToken", "output", "deleted", "error",
            ])
        #expect(
            done.json["request"]?.string?.hasSuffix("/fhir/$export?_outputFormat=application/fhir%2Bndjson") == true)
        #expect(done.json["requiresAccessToken"]?.bool == true && done.json["error"]?.array == [])
        let output = done.json["output"]?.array ?? []
        #expect(output.compactMap { $0["type"]?.string } == ["Observation", "Organization", "Patient"])
        #expect(output.compactMap { $0["count"]?.integer } == [16, 1, 3])
        let file = try path(output[0]["url"]?.string)
        #expect(try await lines(file, in: fixture).count == 16)
        #expect(try await fixture.send(.get, file, token: "", headers: [:]).status == 401)
        // The status is available until it is deleted.
        let cancelled = try await fixture.send(.delete, status, token: fixture.token, headers: [:])
        #expect(cancelled.status == 202)
        for path in [status, file] {
            let gone = try await fixture.send(.get, path, token: fixture.token, headers: [:])
            #expect(gone.status == 404 && code(gone.json) == "export-unknown")
        }
        #expect(exportsFolders(fixture).isEmpty)
        try await fixture.close()
    }

    private func exportsFolders(_ fixture: RecordsFixture) -> [String] {
        let folder = fixture.folder.appendingPathComponent("exports")
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0 != "folder-id" }
    }

    @Test func eachLineEqualsTheResponseOfARead() async throws {
        let fixture = try await filled()
        let (_, manifest) = try await run("$export?_type=Observation", in: fixture)
        for line in try await lines(path(manifest["output"]?[0]?["url"]?.string), in: fixture) {
            let id = try #require(line["id"]?.string)
            #expect(try await fixture.get("/fhir/Observation/\(id)").1 == line)
        }
        try await fixture.close()
    }

    @Test(
        arguments: [
            ("$export?_outputFormat=csv", "parameter-invalid"), ("$export?_since=x", "parameter-invalid"),
            ("$export?_type=Nothing", "parameter-invalid"), ("$export?_elements=a-b", "parameter-invalid"),
            ("$export?other=1", "parameter-unknown"), ("$export?patient=Patient/a", "parameter-unknown"),
            ("$export?includeAssociatedData=Everything", "parameter-invalid"),
            ("$export?_typeFilter=Observation", "parameter-invalid"),
            ("$export?_typeFilter=Observation%3Fnothing%3D1", "parameter-unknown"),
            ("Group/none/$export", "group-unknown"),
        ])
    func invalidExportIsRefusedImmediately(query: String, expected: String) async throws {
        let fixture = try await filled()
        let answer = try await fixture.send(.get, "/fhir/" + query, token: fixture.token, headers: Self.preferring)
        #expect((400...404).contains(answer.status) && code(answer.json) == expected, "\(answer.json)")
        if expected == "parameter-unknown" && !query.contains("typeFilter") || query.contains("Associated") {
            var lenient = Self.preferring
            lenient[.prefer] = "respond-async, handling=lenient"
            #expect(
                try await fixture.send(.get, "/fhir/" + query, token: fixture.token, headers: lenient).status == 202)
        }
        try await fixture.close()
    }

    // MARK: Contents

    /// Provenance of exported resources is included, for any type, patients and time of its own.
    @Test func provenanceIsExportedWithItsTargets() async throws {
        var fixture = try await filled()
        func provenance(_ id: String, of target: String, more: String = "") -> String {
            """
            {"resourceType":"Provenance","id":"\(id)","target":[{"reference":"\(target)"}],"recorded":"2026-01-01T00:00:00Z",\
            "agent":[{"who":{"display":"x"}}]\(more)}
            """
        }
        let restricted =
            #","meta":{"security":[{"system":"http://terminology.hl7.org/CodeSystem/v3-Confidentiality","code":"R"}]}"#
        try await fixture.put(provenance("p1", of: "Observation/a0"))
        try await fixture.put(provenance("p2", of: "Observation/a0", more: restricted))
        try await fixture.put(provenance("p3", of: "Observation/b0"))
        try await fixture.put(provenance("p4", of: "Organization/org"))
        try await fixture.addGrant("usual", scopes: "system/*.rs")
        let (relevant, latest) = (
            "includeAssociatedData=RelevantProvenanceResources", "includeAssociatedData=LatestProvenanceResources"
        )
        for (query, token, expected) in [
            ("$export?_type=Observation&" + relevant, nil, ["p1", "p2", "p3"]),
            ("$export?_type=Observation&" + latest, nil, ["p2", "p3"]),
            ("$export?_type=Observation&" + latest + ",RelevantProvenanceResources", nil, ["p1", "p2", "p3"]),
            ("$export?_type=Observation&" + relevant, "usual", ["p1", "p3"]),
            ("$export?_type=Observation&" + latest, "usual", ["p1", "p3"]),
            ("Patient/$export?patient=Patient/a&_type=Observation&" + relevant, nil, ["p1", "p2"]),
            ("Patient/$export?patient=Patient/a&" + relevant, nil, ["p1", "p2"]),
            ("Patient/$export?_type=Observation&" + relevant, nil, ["p1", "p2", "p3"]),
            ("$export?_type=Observation&_typeFilter=Observation%3F_id%3Db0&" + relevant, nil, ["p3"]),
            ("$export?_type=Observation&_since=2099-01-01T00:00:00Z&" + relevant, nil, []),
            ("$export?_type=Observation", nil, []), ("$export?" + relevant, nil, ["p1", "p2", "p3", "p4"]),
        ] as [(String, String?, [String])] {
            let found = try await run(query, token: token, in: fixture).ids
            #expect(found["Provenance"] ?? [] == expected, "\(query) \(token ?? "")")
        }
        try await fixture.close()
    }

    @Test func exportHasTheRequestedTypesAndPatients() async throws {
        let fixture = try await filled()
        let types = try await run("$export?_type=Patient,Organization", in: fixture).ids
        #expect(types == ["Patient": ["a", "b", "c"], "Organization": ["org"]])
        let patients = try await run("Patient/$export", in: fixture).ids
        #expect(
            patients["Organization"] == nil && patients["Observation"]?.count == 16 && patients["Patient"]?.count == 3)
        let body = #"""
            {"resourceType":"Parameters","parameter":[{"name":"patient","valueReference":{"reference":"Patient/b"}},
            {"name":"patient","valueReference":{"reference":"Patient/a"}},{"name":"_type","valueString":"Observation"}]}
            """#
        let two = try await run("Patient/$export", body: body, in: fixture).ids
        // A resource of both patients is exported once.
        #expect(
            two["Observation"]?.sorted() == (["a", "b"].flatMap { p in (0..<5).map { "\(p)\($0)" } } + ["ab"]).sorted())
        let ofSystem = body.replacingOccurrences(
            of: #"{"name":"patient","valueReference":{"reference":"Patient/b"}},"#, with: ""
        )
        .replacingOccurrences(of: #"{"name":"patient","valueReference":{"reference":"Patient/a"}},"#, with: "")
        #expect(try await run(body: ofSystem, in: fixture).ids["Observation"]?.count == 16)
        let filtered = try await run("$export?_typeFilter=Observation%3F_id%3Da1%2Ca2&_type=Observation", in: fixture)
            .ids
        #expect(filtered["Observation"]?.sorted() == ["a1", "a2"])
        let missing = body.replacingOccurrences(of: "Patient/b", with: "Patient/none")
        var headers = Self.preferring
        headers[.contentType] = "application/fhir+json"
        let answer = try await fixture.send(
            .post, "/fhir/Patient/$export", body: missing, token: fixture.token, headers: headers)
        #expect(answer.status == 400 && code(answer.json) == "patient-unknown")
        try await fixture.close()
    }

    @Test func aGroupBringsItsMembers() async throws {
        let fixture = try await filled()
        func member(_ reference: String, _ more: String = "") -> String {
            #"{"entity":{"reference":"\#(reference)"}\#(more)}"#
        }
        try await fixture.put(
            #"{"resourceType":"Group","id":"inner","type":"person","actual":true,"member":[\#(member("Patient/b")),"#
                + #"\#(member("Group/g"))]}"#)
        try await fixture.put(
            #"{"resourceType":"Group","id":"g","type":"person","actual":true,"member":[\#(member("Group/inner")),"#
                + #"\#(member("Patient/a", #","inactive":true"#)),\#(member("Device/d")),"#
                + #"\#(member("Patient/c", #","period":{"end":"2020-01-01"}"#))]}"#)
        let found = try await run("Group/g/$export", in: fixture).ids
        // The resources' own URLs work as before.
        for path in ["Group/g", "Patient/b", "Patient"] { #expect(try await fixture.get("/fhir/" + path).0 == 200) }
        #expect(
            try await fixture.send(.get, "/fhir/Device/$export", token: fixture.token, headers: Self.preferring).status
                == 404)
        #expect(found["Patient"] == ["b"])
        #expect(found["Observation"]?.sorted() == ["ab"] + (0..<5).map { "b\($0)" })
        try await fixture.close()
    }

    /// A reference with this server's base URL is a member; one to another server is not.
    @Test func groupRecognisesMembersByRelativeAndAbsoluteAddresses() async throws {
        let fixture = try await filled()
        let base = try #require(
            try await fixture.get("/fhir/Group").1["link"]?[0]?["url"]?.string?.replacingOccurrences(
                of: "/Group", with: ""))
        try await fixture.put(
            #"{"resourceType":"Group","id":"g","type":"person","actual":true,"member":["#
                + #"{"entity":{"reference":"\#(base)/Patient/b/_history/1"}},{"entity":{"reference":"http://far.example/fhir/Patient/c"}},"#
                + #"{"entity":{"reference":"\#(base)/Group/inner"}}]}"#)
        try await fixture.put(
            #"{"resourceType":"Group","id":"inner","type":"person","actual":true,"member":[{"entity":{"reference":"Patient/a"}}]}"#
        )
        #expect(try await run("Group/g/$export", in: fixture).ids["Patient"]?.sorted() == ["a", "b"])
        let body =
            #"{"resourceType":"Parameters","parameter":[{"name":"patient","valueReference":{"reference":"\#(base)/Patient/c"}}]}"#
        #expect(try await run("Patient/$export", body: body, in: fixture).ids["Patient"] == ["c"])
        var headers = Self.preferring
        headers[.contentType] = "application/fhir+json"
        let far = try await fixture.send(
            .post, "/fhir/Patient/$export", body: body.replacingOccurrences(of: base, with: "http://far.example/fhir"),
            token: fixture.token, headers: headers)
        #expect(far.status == 400 && code(far.json) == "parameter-invalid")
        try await fixture.put(
            observation("own", more: #","performer":[{"reference":"\#(base)/Organization/org"}]"#), submission: "own")
        let filtered = try await run(
            "$export?_type=Observation&_typeFilter=Observation%3Fperformer%3DOrganization/org", in: fixture)
        #expect(filtered.ids["Observation"] == ["own"])
        try await fixture.close()
    }

    /// "The url element SHALL be an absolute url that can be de-referenced."
    @Test func theAddressesOfAttachmentsAreAbsolute() async throws {
        let fixture = try await filled()
        let base = try #require(
            try await fixture.get("/fhir/Group").1["link"]?[0]?["url"]?.string?.replacingOccurrences(
                of: "/Group", with: ""))
        try await fixture.put(
            #"{"resourceType":"DocumentReference","id":"d","status":"current","extension":[{"url":"urn:e","extension":[{"url":"inner","valueAttachment":{"url":"Binary/e"}}]}],"#
                + #""content":[{"attachment":{"url" : "Binary/note","size":1.0}},{"attachment":{"url":"https://far.example/x"}},"#
                + #"{"attachment":{"url":"/fhir/Binary/root"}}],"#
                + #""contained":[{"resourceType":"Patient","id":"c","photo":[{"url":"Binary\/photo"}]}],"#
                + #""relatesTo":[{"target":{"reference":"DocumentReference/other"}}]}"#)
        try await fixture.put(#"{"resourceType":"Endpoint","id":"e","address":"Binary/x","status":"active"}"#)
        let (_, manifest) = try await run("$export?_type=DocumentReference,Endpoint", in: fixture)
        let output = manifest["output"]?.array ?? []
        let line = try #require(try await lines(path(output[0]["url"]?.string), in: fixture).first)
        let urls = (line["content"]?.array ?? []).map { $0["attachment"]?["url"]?.string }
        let origin = base.replacingOccurrences(of: "/fhir", with: "")
        #expect(urls == [base + "/Binary/note", "https://far.example/x", origin + "/fhir/Binary/root"])
        #expect(line["contained"]?[0]?["photo"]?[0]?["url"]?.string == base + "/Binary/photo")
        let inner = line["extension"]?[0]?["extension"]?[0]
        #expect(inner?["url"] == "inner" && inner?["valueAttachment"]?["url"]?.string == base + "/Binary/e")
        #expect(line["content"]?[0]?["attachment"]?["size"]?.text() == "1.0")
        #expect(line["relatesTo"]?[0]?["target"]?["reference"] == "DocumentReference/other")
        let endpoint = try #require(try await lines(path(output[1]["url"]?.string), in: fixture).first)
        #expect(endpoint["address"] == "Binary/x")
        // A read returns the URL as it was sent.
        let read = try await fixture.get("/fhir/DocumentReference/d").1
        #expect(read["content"]?[0]?["attachment"]?["url"] == "Binary/note")
        try await fixture.close()
    }

    @Test(arguments: [
        (#"{"url":"Binary/a"}"#, true), (#"{"url" : "Binary/a"}"#, true), (#"{"url":"http://a/b"}"#, false),
        (#"{"url":"urn:uuid:1","x":"\"url\""}"#, false), (#"{"a":"url","url":"x"}"#, true), (#"{"url":"#, false),
        (#"{"curl":"Binary/a","url2":"b"}"#, false), (#"{"a":["url"],"b":{"url":null}}"#, false), ("", false),
        (#"{"url":"mailto:a","url":"b"}"#, true), (#""url""#, false), (#""""url":"b""#, true),
    ])
    func relativeAddressIsDetectedInTheBytes(json: String, isRelative: Bool) {
        for padding in 0..<6 {
            let bytes = Data((String(repeating: " ", count: padding) + json).utf8)
            #expect(AttachmentAddress.mayBeRelative(in: bytes) == isRelative, "\(json)")
        }
    }

    @Test func elementsThatAreNotNamedAreLeftOut() async throws {
        let fixture = try await filled()
        let (_, manifest) = try await run(
            "$export?_type=Observation,Organization&_elements=Observation.subject", in: fixture)
        let output = manifest["output"]?.array ?? []
        let line = try #require(try await lines(path(output[0]["url"]?.string), in: fixture).first)
        #expect(line.object?.members.map(\.key) == ["resourceType", "id", "meta", "status", "subject"])
        #expect(line["meta"]?["tag"]?[0]?["code"]?.string == "SUBSETTED")
        let other = try #require(try await lines(path(output[1]["url"]?.string), in: fixture).first)
        #expect(other["meta"]?["tag"] == nil)
        try await fixture.close()
    }

    @Test func changesSinceATimeAreExportedWithTheDeletions() async throws {
        var fixture = try await filled()
        try await fixture.addWriter()
        let before = DateTime(Date()).text
        try await _Concurrency.Task.sleep(for: .milliseconds(3))
        _ = try await fixture.send(
            .put, "/fhir/Observation/a1", body: observation("a1", more: #","note":[{"text":"x"}]"#))
        _ = try await fixture.send(.delete, "/fhir/Observation/b1")
        let (ids, manifest) = try await run("$export?_since=\(before)", in: fixture)
        #expect(ids == ["Observation": ["a1"]])
        let deleted = try #require(manifest["deleted"]?[0])
        #expect(deleted["type"]?.string == "Bundle" && deleted["count"]?.integer == 1)
        let bundle = try #require(try await lines(path(deleted["url"]?.string), in: fixture).first)
        #expect(bundle["type"]?.string == "transaction")
        #expect(bundle["entry"]?.array?.map { $0["request"]?["url"]?.string } == ["Observation/b1"])
        #expect(bundle["entry"]?[0]?["request"]?["method"]?.string == "DELETE")
        try await fixture.close()
    }

    @Test func exportDoesNotDependOnPageAndFileSizes() async throws {
        var limits = ExportLimits()
        let fixture = try await filled()
        let whole = try await run(in: fixture).ids
        for (page, file) in [(1, 1), (150, 400), (700, 1)] {
            (limits.pageBytes, limits.fileBytes) = (page, file)
            var other = fixture
            other.exports = Exports(
                database: fixture.database, access: fixture.access, folder: try #require(fixture.exports).folder,
                limits: limits, clock: { Date() })
            let (ids, manifest) = try await run(in: other)
            #expect(ids == whole)
            if file == 1 { #expect((manifest["output"]?.array?.count ?? 0) > 3) }
            let body =
                #"{"resourceType":"Parameters","parameter":[{"name":"patient","valueString":"Patient/a"},"#
                + #"{"name":"patient","valueString":"Patient/b"}]}"#
            let two = try await run("Patient/$export", body: body, in: other).ids
            #expect(two["Observation"]?.count == 11 && Set(two["Observation"] ?? []).count == 11)
        }
        try await fixture.close()
    }

    @Test func damagedRecordIsReportedAndTheExportContinues() async throws {
        let fixture = try await filled()
        _ = try await fixture.database.write { transaction in
            try transaction.execute(
                """
                UPDATE record_version SET content = ? WHERE number =
                    (SELECT number FROM record WHERE type = 'Observation' AND id = 'a2')
                """, [SQLValue(Data([0x28, 0xB5, 0x2F, 0xFD, 1, 2, 3]))])
        }
        let (ids, manifest) = try await run("$export?_type=Observation", in: fixture)
        #expect(ids["Observation"]?.count == 15)
        let error = try #require(manifest["error"]?[0])
        #expect(error["type"]?.string == "OperationOutcome")
        let lines = try await lines(path(error["url"]?.string), in: fixture)
        #expect(lines.count == 1 && lines[0]["resourceType"]?.string == "OperationOutcome")
        try await fixture.close()
    }

    // MARK: Access

    /// With random data: an export contains the resources that the policy permits.
    @Test func exportAgreesWithThePolicy() async throws {
        var fixture = try await fixture()
        var random = Seeded.fresh()
        var records: [(id: String, facts: RecordFacts)] = []
        for number in 0..<90 {
            let type = ["Observation", "Device"].randomElement(using: &random) ?? ""
            let owners = ["a", "b", "c"].filter { _ in Bool.random(using: &random) }
            let label = ["N", "N", "R", "V"].randomElement(using: &random) ?? ""
            let first = owners.first.map {
                #","\#(type == "Device" ? "patient" : "subject")":{"reference":"Patient/\#($0)"}"#
            }
            let more =
                type == "Device" || owners.count < 2 ? "" : #","performer":[{"reference":"Patient/\#(owners[1])"}]"#
            let json =
                #"{"resourceType":"\#(type)","id":"r\#(number)","meta":{"security":[{"system":"#
                + #""\#(SecurityLabels.confidentialitySystem)","code":"\#(label)"}]}\#(first ?? "")\#(more)}"#
            try await fixture.put(json)
            records.append(("\(type)/r\(number)", RecordFacts(try Resource(Array(json.utf8)))))
        }
        var seen = 0
        for round in 0..<12 {
            let scopes =
                (["user/*.rs", "user/Observation.rs user/Device.r", "system/Device.rs"].randomElement(using: &random)
                    ?? "")
                + (Bool.random(using: &random) ? " conf/R" : "")
            let patients: PatientAccess =
                Bool.random(using: &random)
                ? .all : .only(Set(["a", "b", "c"].filter { _ in Bool.random(using: &random) }))
            try await fixture.addGrant("t\(round)", scopes: scopes, patients: patients)
            let grant = try #require(try await fixture.access.tokens.grant(bearer: fixture.tokens["t\(round)"] ?? ""))
            let found = try await run(token: "t\(round)", in: fixture).ids.flatMap { type, ids in
                ids.map { "\(type)/\($0)" }
            }
            let permitted = records.filter { record in
                [RecordInteraction.read, .searchType].allSatisfy {
                    Policy().decide(grant, $0, record: record.facts, at: Date()).isPermitted
                }
            }.map(\.id)
            #expect(found.sorted() == permitted.sorted(), "seed \(random.seed) \(scopes) \(patients)")
            seen += found.count
        }
        #expect(seen > 50)
        try await fixture.close()
    }

    @Test func exportBelongsToItsRequester() async throws {
        var fixture = try await filled()
        try await fixture.addGrant("one", scopes: "user/*.rs")
        try await fixture.addGrant("two", scopes: "user/*.rs")
        try await fixture.addGrant("reads", scopes: "user/Observation.r")
        let status = try await ask("$export?_type=Observation", token: "one", in: fixture)
        for token in ["two", "staff"] {
            let other = token == "staff" ? fixture.token : token
            #expect(try await fixture.get(status, token: other).0 == 404)
            #expect(try await fixture.send(.delete, status, token: other, headers: [:]).status == 404)
        }
        let exports = try #require(fixture.exports)
        #expect(try await exports.workOnNext())
        let file = try path(try await fixture.get(status, token: "one").1["output"]?[0]?["url"]?.string)
        #expect(try await fixture.text(file, token: "two").status == 404)
        #expect(try await fixture.text(file, token: "one").status == 200)
        let refused = try await fixture.send(.get, "/fhir/$export", token: "reads", headers: Self.preferring)
        #expect(refused.status == 403)
        // A grant for one type, and a request for two.
        try await fixture.addGrant("narrow", scopes: "user/Observation.rs")
        let both = "/fhir/$export?_type=Observation,Device"
        #expect(try await fixture.send(.get, both, token: "narrow", headers: Self.preferring).status == 403)
        var lenient = Self.preferring
        lenient[.prefer] = "respond-async; handling=lenient"
        #expect(try await fixture.send(.get, both, token: "narrow", headers: lenient).status == 202)
        try await fixture.close()
    }

    @Test func revokedAccessEndsItsExports() async throws {
        var fixture = try await filled()
        try await fixture.addGrant("one", scopes: "user/*.rs")
        let id = try #require(try await fixture.access.tokens.staffTokens().first { $0.scopes != nil }?.id)
        let status = try await ask(token: "one", in: fixture)
        _ = try await fixture.access.tokens.revokeStaffToken(id: id, by: Actor(id: "site", role: .site))
        let exports = try #require(fixture.exports)
        while try await exports.workOnNext() {}
        try await exports.removeExpired()
        let left = try await fixture.database.read { try $0.query("SELECT id FROM export_job") }
        #expect(left.isEmpty && exportsFolders(fixture).isEmpty)
        #expect(try await fixture.get(status, token: "one").0 == 401)
        try await fixture.close()
    }

    /// Every exported resource has an audit row that names its participants.
    @Test func auditNamesTheExportedParticipants() async throws {
        let fixture = try await filled()
        _ = try await run("$export?_type=Observation", in: fixture)
        let entries = try await fixture.access.audit.entries().filter { $0.action == "export-records" }
        #expect(Set(entries.flatMap(\.participants)) == ["a", "b", "c"])
        try await fixture.close()
    }

    @Test func deletedParticipantIsNotInExports() async throws {
        let fixture = try await filled()
        let status = try await ask(in: fixture)
        let exports = try #require(fixture.exports)
        while try await exports.workOnNext() {}
        _ = try await fixture.database.write { try RecordStore().delete(about: "a", keeping: [], in: $0) }
        #expect(try await fixture.get(status).0 == 404)
        try await exports.removeExpired()
        #expect(exportsFolders(fixture).isEmpty)
        try await fixture.close()
    }

    // MARK: Limits

    @Test func exportsAreBounded() async throws {
        var limits = ExportLimits()
        (limits.openOfClient, limits.keptOfClient, limits.bytes) = (2, 3, 1500)
        limits.pageBytes = 100
        let fixture = try await filled(limits)
        let first = try await ask(in: fixture)
        _ = try await ask("$export?_type=Organization", in: fixture)
        let third = try await fixture.send(.get, "/fhir/$export", token: fixture.token, headers: Self.preferring)
        #expect(third.status == 429 && third.headers[.retryAfter] != nil)
        let exports = try #require(fixture.exports)
        while try await exports.workOnNext() {}
        let (status, outcome) = try await fixture.get(first)
        #expect(status == 500 && code(outcome) == "export-too-large")
        _ = try await ask(in: fixture)
        let fourth = try await fixture.send(.get, "/fhir/$export", token: fixture.token, headers: Self.preferring)
        #expect(fourth.status == 429)
        try await fixture.close()
    }

    @Test func expiredExportIsRemoved() async throws {
        let fixture = try await filled()
        let status = try await ask(in: fixture)
        let exports = try #require(fixture.exports)
        while try await exports.workOnNext() {}
        _ = try await fixture.database.write { transaction in
            try transaction.execute("UPDATE export_job SET expires_at = ?", [SQLValue(Date(timeIntervalSinceNow: -1))])
        }
        #expect(try await fixture.get(status).0 == 404)
        try await exports.removeExpired()
        #expect(exportsFolders(fixture).isEmpty)
        try await fixture.close()
    }

    // MARK: Several servers

    /// The job of a dead server continues at its progress: by the next server in the same folder immediately, by one in
    /// another folder after the lease has expired, and then from the beginning.
    @Test func jobOfADeadServerIsContinued() async throws {
        let fixture = try await filled()
        let exports = try #require(fixture.exports)
        let status = try await ask(in: fixture)
        let jobs = exports.jobs
        let folder = exports.folder.id
        let now = Date()
        let leased = try await fixture.database.write { try jobs.lease(in: folder, at: now, in: $0) }
        #expect(leased?.begun == 1)
        let elsewhere = try ExportFolder(fixture.folder.appendingPathComponent("other"))
        #expect(try await fixture.database.write { try jobs.lease(in: elsewhere.id, at: now, in: $0) } == nil)
        #expect(try await exports.workOnNext())
        #expect(try await fixture.get(status).0 == 200)
        // In another folder.
        let second = try await ask(in: fixture)
        let long = now.addingTimeInterval(-3600)
        if fixture.database is SQLiteDatabase {
            _ = try await fixture.database.write { try jobs.lease(in: folder, at: long, in: $0) }
            let other = Exports(
                database: fixture.database, access: fixture.access, folder: elsewhere, clock: { Date() })
            #expect(try await other.workOnNext())
            let (code, manifest) = try await fixture.get(second)
            #expect(code == 200)
            let file = try path(manifest["output"]?[0]?["url"]?.string)
            #expect(try await fixture.text(file).status == 503)
        }
        try await fixture.close()
    }

    @Test func jobThatCrashesRepeatedlyIsAbandoned() async throws {
        let fixture = try await filled()
        let exports = try #require(fixture.exports)
        let status = try await ask(in: fixture)
        for _ in 0..<5 {
            let leased = try await fixture.database.write { [jobs = exports.jobs, id = exports.folder.id] in
                try jobs.lease(in: id, at: Date(), in: $0)
            }
            #expect(leased != nil)
        }
        #expect(try await !exports.workOnNext())
        let (answer, outcome) = try await fixture.get(status)
        #expect(answer == 500 && code(outcome) == "export-crashed")
        try await fixture.close()
    }

    @Test func filesAreReadableOnlyByTheirOwner() async throws {
        let fixture = try await filled()
        _ = try await ask(in: fixture)
        let exports = try #require(fixture.exports)
        while try await exports.workOnNext() {}
        let folder = fixture.folder.appendingPathComponent("exports")
        func mode(_ url: URL) throws -> Int {
            try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int ?? 0
        }
        let job = folder.appendingPathComponent(try #require(exportsFolders(fixture).first))
        #expect(try mode(folder) == 0o700 && mode(job) == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: job.path) {
            #expect(try mode(job.appendingPathComponent(name)) == 0o600)
        }
        // No other process works in the folder meanwhile.
        let lock = try exports.folder.lock()
        #expect(lock != nil)
        #expect(try exports.folder.lock() == nil)
        try await fixture.close()
    }

    // MARK: Rows

    @Test func exportQueriesUseAnIndexInItsOrder() async throws {
        let fixture = try await filled()
        let grant = try AccessGrant(
            client: "app", role: .practitioner, patients: .only(["a"]), scopes: AccessScopes("user/*.rs"))
        let filter = Policy().filter(grant, .searchType, at: Date())
        let selection = ExportSelection(type: "Observation", patients: .anyPatient, filter: filter, since: 5)
        let condition = try await fixture.database.read { try selection.condition(isDeleted: false, in: $0) }
        let numbers = [SQLValue(0), SQLValue(0), SQLValue(9)]
        let plans: [(String, [SQLValue], String)] = [
            (ExportStatement.all(condition.sql), condition.parameters + numbers, "record_by_type"),
            (
                ExportStatement.own(condition.sql), condition.parameters + [SQLValue("a")] + numbers.suffix(2),
                "record_by_subject"
            ),
            (
                ExportStatement.shared(condition.sql), condition.parameters + [SQLValue("a")] + numbers.suffix(2),
                "record_protection_by_value"
            ),
        ]
        for (sql, parameters, index) in plans {
            let plan = try await fixture.database.read { try QueryPlan(sql, parameters, in: $0) }
            #expect(!plan.readsAll, "\(plan)")
            if TestEngine.chosen == .sqlite { #expect(plan.uses(index: index), "\(plan)") }
            if TestEngine.chosen == .sqlite, index != "record_protection_by_value" { #expect(!plan.sorts, "\(plan)") }
        }
        let deleted = try await fixture.database.read { try selection.condition(isDeleted: true, in: $0) }
        let plan = try await fixture.database.read {
            try QueryPlan(
                ExportStatement.deleted(deleted.sql), deleted.parameters + numbers + [SQLValue(1)], in: $0)
        }
        #expect(plan.uses(index: "record_by_update") && !plan.readsAll, "\(plan)")
        try await fixture.close()
    }
}
