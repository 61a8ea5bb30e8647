import FHIR
import Foundation
import Testing

@testable import FHIRSearch

/// A search by HealthKit's code finds the Observations of the type with any of its codes.
@Suite struct HealthTypeSearchTests {
    private static let system = "http://developer.apple.com/documentation/healthkit"

    private func observation(_ id: String, codings: String, rest: String = "") -> String {
        #"{"resourceType":"Observation","id":"\#(id)","status":"final","code":{"coding":[\#(codings)]}"#
            + #","effectiveDateTime":"2026-03-01T10:00:00Z"\#(rest)}"#
    }

    private func loinc(_ code: String) -> String { #"{"system":"http://loinc.org","code":"\#(code)"}"# }

    @Test func everyCodeOfATypeIsFoundUnderHealthKitsCode() async throws {
        let fixture = try await RecordsFixture()
        let value = #","valueQuantity":{"value":94,"unit":"%","system":"http://unitsofmeasure.org","code":"%"}"#
        try await fixture.put(observation("pulse", codings: loinc("59408-5"), rest: value))
        try await fixture.put(observation("both", codings: loinc("59408-5") + "," + loinc("2708-6"), rest: value))
        try await fixture.put(
            observation(
                "ms", codings: #"{"system":"com.apple.health","code":"HKQuantityTypeIdentifierOxygenSaturation"}"#,
                rest: value))
        try await fixture.put(observation("rate", codings: loinc("8867-4")))
        let pressures = ["8480-6", "8462-4"].map {
            #"{"code":{"coding":[\#(loinc($0))]},"valueQuantity":{"value":120,"unit":"mmHg"}}"#
        }
        try await fixture.put(
            observation(
                "pressure", codings: loinc("85354-9"), rest: #","component":[\#(pressures.joined(separator: ","))]"#))
        func found(_ query: String) async throws -> Set<String> {
            let (status, json) = try await fixture.get("/fhir/Observation?" + query)
            #expect(status == 200, "\(query)")
            return Set((json["entry"]?.array ?? []).compactMap { $0["resource"]?["id"]?.string })
        }
        let type = "code=\(Self.system)%7CHKQuantityTypeIdentifierOxygenSaturation"
        #expect(try await found(type) == ["pulse", "both", "ms"])
        #expect(try await found("code=HKQuantityTypeIdentifierHeartRate") == ["rate"])
        // A code of a terminology finds the resources that have it, as FHIR defines the search.
        #expect(try await found("code=http://loinc.org%7C2708-6") == ["both"])
        let systolic = "\(Self.system)%7CHKQuantityTypeIdentifierBloodPressureSystolic"
        #expect(try await found("component-code=\(systolic)") == ["pressure"])
        #expect(try await found("combo-code=\(systolic)") == ["pressure"])
        #expect(try await found("code=\(systolic)") == [])
        #expect(
            try await found(
                "code-value-quantity=\(Self.system)%7CHKQuantityTypeIdentifierOxygenSaturation$ge90") == [
                    "pulse", "both", "ms",
                ])
        try await fixture.close()
    }

    /// A search of values in memory finds the same as the index.
    @Test func valuesInMemoryHaveTheTypeToo() throws {
        let resource = try Resource(Data(observation("o", codings: loinc("59408-5")).utf8))
        let values = try #require(SearchValues(indexing: resource))
        let codes = values["code"].compactMap { if case .token(let token) = $0 { token.code } else { nil } }
        #expect(codes == ["59408-5", "HKQuantityTypeIdentifierOxygenSaturation"])
    }
}
