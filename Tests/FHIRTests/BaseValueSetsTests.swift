import Foundation
import TestSupport
import Testing

@testable import FHIR

@Suite struct BaseValueSetsTests {
    @Test func everySetHasCodingsOfASystemEachOnce() {
        let sets = BaseValueSets.r4
        #expect(sets.urls.count > 1000)
        for url in sets.urls {
            let codings = sets.codings(of: CanonicalURL(url)) ?? []
            #expect(!codings.isEmpty, "\(url)")
            #expect(codings.allSatisfy { $0.system?.isEmpty == false && $0.code?.isEmpty == false }, "\(url)")
            #expect(codings.allSatisfy { $0.display?.isEmpty == false }, "\(url)")
            #expect(Set(codings.map { "\($0.system ?? "")|\($0.code ?? "")" }).count == codings.count, "\(url)")
        }
    }

    @Test func noSetHasLicensedContent() {
        let licensed = ["snomed", "loinc", "rxnorm", "icd", "cpt", "dicom", "iso"]
        for url in BaseValueSets.r4.urls {
            for system in Set((BaseValueSets.r4.codings(of: CanonicalURL(url)) ?? []).compactMap(\.system)) {
                let host = system.dropFirst(7).prefix { $0 != "/" }.lowercased()
                #expect(!licensed.contains { host.contains($0) }, "\(url): \(system)")
            }
        }
    }

    @Test func abstractCodesAreNotOffered() throws {
        let types = try #require(
            BaseValueSets.r4.codings(of: CanonicalURL("http://terminology.hl7.org/ValueSet/v3-ActCode")))
        #expect(types.contains { $0.code == "AMB" })
        #expect(!types.contains { $0.code == "_ActEncounterCode" })
    }

    /// Compares the table with the definitions that it was made from: whole systems, listed codes, and the sets' own
    /// displays.
    @Test(.enabled(if: PublishedData.folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func tableMatchesTheDefinitions() throws {
        let names = [
            "administrative-gender", "marital-status", "yesnodontknow", "languages", "relationship",
            "observation-status",
        ]
        let folder = try PublishedData.unpacked(
            "fhir-r4.tar.xz", names.map { "fhir-r4/definitions/ValueSet-\($0).json" })
        defer { folder.remove() }
        for name in names {
            let file = folder.url.appendingPathComponent("fhir-r4/definitions/ValueSet-\(name).json")
            let set = ValueSet(try Resource(Data(contentsOf: file)).object)
            let codings = try #require(BaseValueSets.r4.codings(of: CanonicalURL(set.url ?? "")))
            for include in set.compose?.include ?? [] {
                for concept in include.concept {
                    let found = codings.first { $0.system == include.system && $0.code == concept.code }
                    #expect(found != nil && (concept.display == nil || found?.display == concept.display), "\(name)")
                }
                #expect(include.system == nil || codings.contains { $0.system == include.system }, "\(name)")
            }
        }
    }
}
