import FHIR
import FHIRSearch
import Foundation
import Identity
import Synchronization
import TestSupport
import Testing

@testable import AccessPolicy
@testable import BulkExport
@testable import FHIRHTTP
@testable import FHIRServer

/// Interactions by a grant of two parts: patient a with the confidentiality N, and patient b with V.
@Suite struct GrantPartServiceTests {
    private static let secret =
        #","meta":{"security":[{"system":"\#(SecurityLabels.confidentialitySystem)","code":"V"}]}"#
    private static let codes = (0..<8).map { "bit\($0)" }
    private let start = Date(timeIntervalSince1970: 1_790_000_000)

    private func part(_ scopes: String, _ patients: Set<String>, until end: Double? = nil) throws -> AccessPart {
        AccessPart(
            patients: .only(patients), scopes: try AccessScopes(scopes),
            end: end.map { start.addingTimeInterval($0) })
    }

    private func grant(client: String = "app", _ parts: AccessPart...) throws -> AccessGrant {
        try AccessGrant(client: client, role: .service, parts: parts)
    }

    private func both(client: String = "app", untilB end: Double? = nil) throws -> AccessGrant {
        try grant(client: client, part("user/*.cruds", ["a"]), part("user/*.cruds conf/V sens/*", ["b"], until: end))
    }

    private func service(
        _ fixture: RecordsFixture, clock: @escaping @Sendable () -> Date
    ) -> RecordsService {
        RecordsService(
            database: fixture.database, access: fixture.access, exports: fixture.exports, clock: clock)
    }

    /// Returns the resources of both patients. Those that no part shows are at the end.
    ///
    /// - Parameter bits: the codes of the hidden Conditions of a.
    private func resources(hidden bits: [String]) -> (shown: [String], hidden: [String]) {
        func condition(_ id: String, of patient: String, code: String, more: String = "") -> String {
            #"{"resourceType":"Condition","id":"\#(id)","subject":{"reference":"Patient/\#(patient)"},"code":{"coding":[{"code":"\#(code)"}]}\#(more)}"#
        }
        func observation(_ id: String, of patient: String, focus: String, more: String = "") -> String {
            #"{"resourceType":"Observation","id":"\#(id)","status":"final","code":{"coding":[{"code":"x"}]},"subject":{"reference":"Patient/\#(patient)"},"focus":[{"reference":"\#(focus)"}],"effectiveDateTime":"2026-03-0\#(id.utf8.count)"\#(more)}"#
        }
        let shown = [
            #"{"resourceType":"Patient","id":"a","name":[{"family":"Anna"}]}"#,
            #"{"resourceType":"Patient","id":"b","name":[{"family":"Bert"}]\#(Self.secret)}"#,
            condition("ca", of: "a", code: "open"), condition("cb", of: "b", code: "bit0", more: Self.secret),
            observation("oa", of: "a", focus: "Condition/ha0"), observation("ob", of: "b", focus: "Condition/cb"),
        ]
        var hidden = bits.enumerated().map {
            condition("ha\($0.offset)", of: "a", code: $0.element, more: Self.secret)
        }
        hidden.append(observation("hidden", of: "a", focus: "Condition/ca", more: Self.secret))
        hidden.append(
            observation("together", of: "a", focus: "Condition/cb", more: #","performer":[{"reference":"Patient/b"}]"#))
        hidden.append(#"{"resourceType":"Patient","id":"c"}"#)
        hidden.append(condition("cc", of: "c", code: "bit1"))
        return (shown, hidden)
    }

    private static let searches: [(type: String, parameters: [(String, String)])] =
        codes.flatMap { code in
            [
                ("Patient", [("_has:Condition:patient:code", code)]), ("Condition", [("code", code)]),
                ("Observation", [("focus:Condition.code", code)]),
                ("Patient", [("_has:Observation:patient:focus:Condition.code", code)]),
            ]
        } + [
            ("Condition", [("_sort", "code"), ("_count", "1")]), ("Condition", [("_summary", "count")]),
            ("Condition", [("_sort", "-_lastUpdated")]), ("Observation", [("_include", "Observation:focus")]),
            ("Observation", [("_include", "*"), ("_sort", "-date"), ("_total", "accurate")]),
            ("Patient", [("_revinclude", "Condition:patient"), ("_revinclude", "Observation:patient")]),
            ("Patient", [("_has:Observation:patient:_id", "hidden,together")]), ("Patient", [("_id", "a,b,c")]),
            ("Condition", [("subject:Patient.name", "ann"), ("_security", "V")]),
            ("Observation", [("_id", "together,hidden,oa,ob")]),
        ]

    /// Returns what a grant gets: for each search its total and ids; for reads, histories and `$everything` the ids or
    /// the failure.
    private func answers(_ service: RecordsService, by grant: AccessGrant) async throws -> [String] {
        var found: [String] = []
        for (type, parameters) in Self.searches {
            let page = try await service.search(
                .type(type), parameters: parameters.map { (name: $0.0, value: $0.1) }, strict: true, url: "u",
                by: AuthenticatedCaller(grant))
            let bundle = try page.bundle
            let ids = bundle.entry.compactMap(\.resource?.id)
            found.append("\(type)?\(parameters) \(bundle.total ?? -1) \(ids) \(bundle.link.map(\.relation))")
        }
        for (type, id) in [
            ("Condition", "ha0"), ("Observation", "hidden"), ("Observation", "together"), ("Patient", "c"),
        ] {
            for version in [nil, "1"] {
                do {
                    let caller = AuthenticatedCaller(grant)
                    if let version {
                        _ = try await service.read(type: type, id: id, version: version, by: caller)
                    } else {
                        _ = try await service.read(type: type, id: id, by: caller)
                    }
                    found.append("\(type)/\(id) read")
                } catch let failure as RecordsFailure { found.append("\(type)/\(id) \(failure.code)") }
            }
            for request in try [
                WriteRequest(type: type, destination: .id(id), change: .delete),
                WriteRequest(
                    type: type, destination: .id(id),
                    change: .update(Resource(Data(#"{"resourceType":"\#(type)","id":"\#(id)"}"#.utf8)))),
            ] {
                do {
                    let outcome = try await service.write(request, by: grant)
                    found.append("\(type)/\(id) \(outcome.kind)")
                } catch let failure as RecordsFailure { found.append("\(type)/\(id) \(failure.code)") }
            }
        }
        for type in ["Condition", nil] {
            let query = try HistoryQuery(type: type, parameters: [], strict: true)
            let history = try await service.history(ofType: type, query, url: "u", by: grant).bundle
            found.append("\(history.total ?? -1) \(history.entry.compactMap(\.resource?.id).sorted())")
        }
        for id in ["a", "b"] {
            let page = try EverythingPage([], strict: true)
            let bundle = try await service.everything(ofPatient: id, page: page, url: "u", by: grant).bundle
            found.append("\(id) \(bundle.entry.compactMap(\.resource?.id).sorted())")
        }
        return found
    }

    /// F03: what two parts show does not depend on a record that neither part shows, bit by bit.
    @Test func recordsThatNoSinglePartShowsChangeNoAnswer() async throws {
        let grant = try both()
        var expected: [String] = []
        for bits in [[], Self.codes, Array(Self.codes.prefix(3))] {
            let fixture = try await RecordsFixture()
            let (shown, hidden) = resources(hidden: bits)
            for json in shown + (bits.isEmpty ? [] : hidden) { try await fixture.put(json, at: start) }
            let found = try await answers(service(fixture, clock: { start }), by: grant)
            if bits.isEmpty {
                expected = found
                // The searches find the records of b, so that the test is about more than empty answers.
                #expect(found.contains { $0.hasPrefix("Patient") && $0.contains(#" 1 ["b"]"#) }, "\(found)")
            }
            for (found, expected) in zip(found, expected) { #expect(found == expected, "\(bits)") }
            #expect(found.count == expected.count)
            try await fixture.close()
        }
    }

    @Test func exportHasOnlyWhatASinglePartReadsAndSearches() async throws {
        var fixture = try await RecordsFixture()
        fixture.exports = Exports(
            database: fixture.database, access: fixture.access,
            folder: try ExportFolder(fixture.folder.appendingPathComponent("exports")), clock: { start })
        let exports = try #require(fixture.exports)
        let (shown, hidden) = resources(hidden: Self.codes)
        for json in shown + hidden { try await fixture.put(json, at: start.addingTimeInterval(-60)) }
        try await fixture.addGrant("app", scopes: "user/*.rs", patients: .only([]))
        let client = try #require(
            try await fixture.access.tokens.grant(bearer: fixture.tokens["app"] ?? "")?.client)
        let service = service(fixture, clock: { start })
        func export(by grant: AccessGrant) async throws -> (id: String, files: [BulkExportFile]) {
            let id = try await service.startExport(
                ExportRequest(.system, parameters: [], lenient: false, base: "u"), path: "$export", lenient: false,
                by: grant)
            while try await exports.workOnNext() {}
            guard case .done(_, let files) = try await service.exportState(id, by: grant) else { return (id, []) }
            return (id, files.sorted { $0.name < $1.name })
        }
        let grant = try both(client: client, untilB: 60)
        let (id, files) = try await export(by: grant)
        #expect(files.map(\.type) == ["Condition", "Observation", "Patient"])
        var ids: [String] = []
        for file in files {
            let path = try await service.exportFile(file.name, of: id, by: grant).path
            ids += try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: 0x0A).compactMap {
                try JSON(Array($0))["id"]?.string
            }
        }
        #expect(ids == ["ca", "cb", "oa", "ob", "a", "b"])
        // After the end of a part its files are refused, and so they are to a grant that lacks it.
        let later = self.service(fixture, clock: { start.addingTimeInterval(60) })
        await #expect(throws: RecordsFailure.self) { try await later.exportFile(files[0].name, of: id, by: grant) }
        let onlyA = try self.grant(client: client, part("user/*.cruds", ["a"]))
        await #expect(throws: RecordsFailure.self) { try await service.exportFile(files[0].name, of: id, by: onlyA) }
        // The read of one part and the search of another do not make an export.
        let split = try self.grant(client: client, part("user/*.r", ["a"]), part("user/*.s conf/V", ["a"]))
        await #expect(throws: RecordsFailure.self) { try await export(by: split) }
        let partly = try self.grant(
            client: client, part("user/*.r user/Patient.s", ["a"]), part("user/*.s user/Patient.r", ["a", "b"]))
        let types = try ExportPlan(
            partly, ExportRequest(.system, parameters: [], lenient: false, base: "u"), policy: Policy(), at: start,
            now: start
        ).types
        #expect(types == ["Patient"])
        try await fixture.close()
    }

    /// A clock that shows the start once, and then a later time.
    private func clock(thenAfter seconds: Double) -> @Sendable () -> Date {
        let isFirst = Mutex(true)
        return {
            let first = isFirst.withLock { first in
                defer { first = false }
                return first
            }
            return first ? start : start.addingTimeInterval(seconds)
        }
    }

    @Test func partThatEndsWhileARequestWaitsCountsNoMore() async throws {
        let fixture = try await RecordsFixture()
        let (shown, _) = resources(hidden: [])
        for json in shown { try await fixture.put(json, at: start) }
        for (seconds, expected) in [(59.0, ["cb"]), (60, [])] {
            let service = service(fixture, clock: clock(thenAfter: seconds))
            let bundle = try await service.search(
                .type("Condition"), parameters: [("code", "bit0")], strict: true, url: "u",
                by: AuthenticatedCaller(both(untilB: 60))
            ).bundle
            #expect(bundle.entry.compactMap(\.resource?.id) == expected && bundle.total == expected.count)
            let query = try HistoryQuery(type: "Condition", parameters: [], strict: true)
            let history = try await self.service(fixture, clock: clock(thenAfter: seconds)).history(
                ofType: "Condition", query, url: "u", by: both(untilB: 60)
            ).bundle
            #expect(history.entry.compactMap(\.resource?.id).contains("cb") == !expected.isEmpty)
            let writing = self.service(fixture, clock: clock(thenAfter: seconds))
            let new = try Resource(
                Data(
                    #"{"resourceType":"Condition","id":"new","subject":{"reference":"Patient/b"}}"#.utf8))
            let write = WriteRequest(type: "Condition", destination: .id("new\(Int(seconds))"), change: .update(new))
            do {
                #expect(try await writing.write(write, by: both(untilB: 60)).kind == .created)
                #expect(!expected.isEmpty)
            } catch let failure as RecordsFailure {
                #expect(expected.isEmpty && failure.code == "other-patient")
            }
        }
        try await fixture.close()
    }
}
