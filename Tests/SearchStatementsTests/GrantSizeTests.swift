import FHIR
import Foundation
import Storage
import StorageTestSupport
import Testing

@testable import AccessPolicy
@testable import FHIRSearch
@testable import RecordStorage
@testable import SearchStatements

/// Searches by grants for one patient and for many. `TRIBUTARY_GRANT_PATIENTS` sets the patients of the store, each with
/// ten Observations; a grant for many has half of them.
@Suite struct GrantSizeTests {
    private static let patients =
        ProcessInfo.processInfo.environment["TRIBUTARY_GRANT_PATIENTS"].flatMap { Int($0) } ?? 40

    private static func resources() -> [String] {
        (0..<patients).flatMap { patient in
            [#"{"resourceType":"Patient","id":"p\#(patient)","name":[{"family":"F\#(patient)"}]}"#]
                + (0..<10).map { number in
                    #"{"resourceType":"Observation","id":"o\#(patient)-\#(number)","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"c\#(number)"}]},"subject":{"reference":"Patient/p\#(patient)"},"effectiveDateTime":"2026-03-0\#(number % 9 + 1)","valueQuantity":{"value":\#(number)}}"#
                }
        }
    }

    /// Returns a grant for one patient, for half of the patients, and for half of them with a period each.
    private static func grants() throws -> [(name: String, grant: AccessGrant)] {
        let many = (0..<patients / 2).map { "p\($0 * 2)" }
        let scopes = try AccessScopes("user/*.rs")
        func grant(_ ids: [String], isEach: Bool) throws -> AccessGrant {
            try AccessGrant(
                client: "app", role: .service,
                parts: ids.enumerated().map {
                    AccessPart(
                        patients: .only([$1]), scopes: scopes,
                        end: SearchStore.time.addingTimeInterval(isEach ? Double($0 + 1) : 1))
                })
        }
        return [
            ("one", try grant(["p0"], isEach: false)), ("many", try grant(many, isEach: false)),
            ("many, each with a period", try grant(many, isEach: true)),
        ]
    }

    /// Searches with the same result for each of the grants, and others.
    private static let searches: [(type: String, query: String)] = [
        ("Observation", "patient=p0&_count=10"), ("Observation", "patient=p0&code=c3"), ("Observation", "_id=o0-1"),
        ("Observation", "subject:Patient.name=F0&_count=10"), ("Patient", "name=F0"),
        ("Patient", "_has:Observation:patient:_id=o0-1"),
        ("Observation", "patient=p0&_sort=-date&_include=Observation:subject"),
        ("Observation", "_count=10"), ("Observation", "code=c3&_count=10"), ("Observation", "_sort=-date&_count=10"),
        ("Observation", "date=2026-03-03&_count=10"), ("Patient", "_count=10"),
    ]

    @Test(arguments: TestEngine.allCases)
    func largeGrantsFindWhatTheirPatientsHave(engine: TestEngine) async throws {
        let isMeasured = ProcessInfo.processInfo.environment["TRIBUTARY_GRANT_PATIENTS"] != nil
        try await SearchStore.with(Self.resources(), on: engine) { store in
            if isMeasured, engine == .postgresql { _ = try await store.database.write { try $0.execute("ANALYZE") } }
            let grants = try Self.grants()
            for (name, grant) in grants where isMeasured {
                try await store.database.read { transaction in
                    var times: [String] = []
                    for _ in 0..<3 {
                        let begun = ContinuousClock.now
                        let filter = Policy().filter(grant, .searchType, at: SearchStore.time)
                        let made = ContinuousClock.now
                        _ = try SQLFragment(showing: filter, type: "Observation", in: transaction)
                        times = [begun.duration(to: made), made.duration(to: .now)].map {
                            "\($0 / .microseconds(1)) us"
                        }
                    }
                    print("\(engine) \(name): the filter \(times[0]), its SQL \(times[1])")
                }
            }
            for (type, query) in Self.searches {
                var line = "\(engine) \(type)?\(query):"
                for (name, grant) in grants {
                    let answer = try await store.answer(.type(type), query + "&_total=accurate", by: grant)
                    let reached = name == "one" ? 1 : Self.patients / 2
                    let isOfOne = query.contains("p0") || query.contains("=F0") || query.contains("o0-1")
                    let some = isOfOne ? 1 : reached
                    let ofEach =
                        type == "Patient" || query.contains("code=") || query.contains("_id=")
                            || query.contains("date=2026") ? 1 : 10
                    #expect(answer.total == some * ofEach, "\(name) \(type)?\(query)")
                    guard isMeasured else { continue }
                    var times: [Double] = []
                    for _ in 0..<41 {
                        let begun = ContinuousClock.now
                        _ = try await store.answer(.type(type), query, by: grant)
                        times.append(begun.duration(to: .now) / .milliseconds(1))
                    }
                    line += " \(name) \((times.sorted()[20] * 1000).rounded() / 1000) ms"
                }
                if isMeasured { print(line) }
            }
        }
    }

    /// A list of patients is one parameter, so that the text of the statement does not depend on their number.
    @Test func longListsAreOneParameter() async throws {
        try await SearchStore.with([]) { store in
            var texts: Set<String> = []
            for count in [17, 1000, 20_000] {
                let filter = RecordFilter.owners(Set((0..<count).map { "p\($0)" }))
                let condition = try await store.database.read {
                    try SQLFragment(showing: filter, type: "Observation", in: $0)
                }
                #expect(condition.parameters.count == 2)
                texts.insert(condition.sql)
            }
            #expect(texts.count == 1)
        }
    }
}
