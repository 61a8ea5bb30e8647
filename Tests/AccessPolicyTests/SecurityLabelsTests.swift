import FHIR
import Foundation
import TestSupport
import Testing

@testable import AccessPolicy

@Suite struct SecurityLabelReadingTests {
    private static let conf = SecurityLabels.confidentialitySystem
    private static let act = SecurityLabels.sensitivitySystem
    private static let local = SecurityLabels.localSensitivitySystem

    private func labels(_ codings: (system: String?, code: String?)...) -> SecurityLabels { SecurityLabels(codings) }

    @Test func highestConfidentialityCountsAndTheDefaultIsN() {
        #expect(SecurityLabels.none == SecurityLabels(confidentiality: .normal, sensitivities: []))
        #expect(labels((Self.conf, "U")).confidentiality == .unrestricted)
        #expect(labels((Self.conf, "R"), (Self.conf, "V"), (Self.conf, "U")).confidentiality == .veryRestricted)
        #expect(Confidentiality.allCases.map(\.code) == ["U", "L", "M", "N", "R", "V"])
        #expect(Confidentiality.allCases.sorted() == Confidentiality.allCases)
    }

    @Test func sensitivitiesAreReadFromTheirSystemsOnly() {
        #expect(labels((Self.act, "ETHUD"), (Self.local, "SOC")).sensitivities == ["ETHUD", "SOC"])
        #expect(labels((Self.act, "HIV")).confidentiality == .normal)
    }

    @Test(arguments: [
        // Retired codes of v3-Confidentiality, and codes it never had.
        (conf, "ETH"), (conf, "HIV"), (conf, "PSY"), (conf, "SDV"), (conf, "B"), (conf, "_Confidentiality"),
        (conf, "r"),
        (conf, "N "), (conf, nil), (conf, ""),
        // Other codes of v3-ActCode, codes that it does not have, and local or foreign ones.
        (act, "SOC"), (act, "_InformationSensitivityPolicy"), (act, "ENCRYPT"), (act, "AMB"), (act, "eth"), (act, "?"),
        (act, "*"), (act, nil), (local, "ETH"), (local, "X"), (local, nil),
        // Systems in other spellings.
        ("http://hl7.org/fhir/v3/Confidentiality", "R"), ("urn:oid:2.16.840.1.113883.5.25", "R"),
        (conf + "|2018-08-12", "R"), (conf + "/", "R"), ("https://terminology.hl7.org/CodeSystem/v3-ActCode", "ETH"),
        ("http://terminology.hl7.org/CodeSystem/v3-ObservationValue", nil),
        ("http://terminology.hl7.org/CodeSystem/v3-ObservationValue/", "PSEUDED"), (nil, "PSEUDED"), (nil, "R"),
        (nil, nil), ("", ""),
    ])
    func unknownLabelIsShownOnlyToCallersWithAllSensitivities(system: String?, code: String?) throws {
        let labels = labels((system, code), (Self.act, "HIV"))
        #expect(labels.confidentiality == .normal)
        #expect(labels.sensitivities == ["HIV", SecurityLabels.unrecognized])
        let every = SensitivityCodes.r4.all.map { "sens/" + $0 }.joined(separator: " ")
        #expect(try !AccessScopes(every).sensitivity.permits(labels.sensitivities))
        #expect(try AccessScopes("sens/*").sensitivity.permits(labels.sensitivities))
    }

    /// They describe how a record was made, and hide nothing.
    @Test(arguments: [
        "PSEUDED", "REDACTED", "ANONYED", "ABSTRED", "AGGRED", "MASKED", "SUBSETTED", "SYNTAC", "TRSLT", "VERSIONED",
        "PATRPT", "RELIABLE", "UNRELIABLE", "PROAST",
    ])
    func codesOfObservationValueHideNothing(code: String) {
        for system in SecurityLabels.descriptiveSystems {
            #expect(labels((system, code)) == .none, "\(system)")
            let with = labels((system, code), (Self.act, "HIV"), (Self.conf, "R"))
            #expect(with == labels((Self.act, "HIV"), (Self.conf, "R")))
            #expect(!SecurityLabels.none.areLower(than: labels((system, code))))
        }
    }

    @Test func codesCoverThoseBelowThem() {
        let codes = SensitivityCodes.r4
        #expect(codes.covered(by: "ETH") == ["ETH", "SUD", "ETHUD", "OPIOIDUD"])
        #expect(codes.covered(by: "SUD") == ["SUD", "ETHUD", "OPIOIDUD"])
        #expect(codes.covered(by: "BH") == ["BH", "COGN", "DVD", "EMOTDIS"])
        #expect(codes.covered(by: "SPI").isSuperset(of: ["BH", "COGN", "MH", "PSY", "PSYTHPN", "SUD", "ETHUD"]))
        #expect(!codes.covered(by: "SPI").contains("ETH"))
        #expect(codes.covered(by: "SOC") == ["SOC"])
        #expect(codes.covered(by: "XYZ") == [])
        #expect(codes.highest(of: codes.covered(by: "SPI")) == ["SPI"])
        #expect(codes.highest(of: ["ETH", "SUD", "HIV"]) == ["ETH", "HIV"])
    }

    @Test func cycleInTheHierarchyEndsTheSearch() {
        let codes = SensitivityCodes("a b\nb a\nc a b\n")
        #expect(codes.covered(by: "a") == ["a", "b", "c"])
        #expect(codes.covered(by: "c") == ["c"])
    }

    /// Compares the table with HL7's publication by another algorithm: walking down the hierarchy.
    @Test(.enabled(if: PublishedData.url("fhir-r4.tar.xz") != nil))
    func theTableIsThePublishedHierarchy() throws {
        let name = "fhir-r4/definitions/CodeSystem-v3-ActCode.json"
        let folder = try PublishedData.unpacked("fhir-r4.tar.xz", [name])
        let system = try Resource(Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name)))
        #expect(system["url"]?.string == SecurityLabels.sensitivitySystem)
        var below: [String: Set<String>] = [:]
        func codes(_ concept: JSON) -> Set<String> {
            guard let code = concept["code"]?.string else { return [] }
            let all = (concept["concept"]?.array ?? []).reduce(into: Set([code])) { $0.formUnion(codes($1)) }
            below[code] = all
            return all
        }
        for concept in system["concept"]?.array ?? [] { _ = codes(concept) }
        let policy = try #require(below["_InformationSensitivityPolicy"]).subtracting(["_InformationSensitivityPolicy"])
        #expect(SensitivityCodes.r4.all == policy.union(["SOC"]))
        for code in policy where code != "ETH" {
            // The only addition of the table is that ETH covers SUD.
            #expect(SensitivityCodes.r4.covered(by: code) == below[code], "\(code)")
        }
    }

    @Test func labelsAreLowerWhereTheyProtectLess() {
        let labels = SecurityLabels(confidentiality: .restricted, sensitivities: ["HIV", "?"])
        #expect(!labels.areLower(than: labels))
        #expect(
            !SecurityLabels(confidentiality: .veryRestricted, sensitivities: ["HIV", "?", "PSY"]).areLower(than: labels)
        )
        #expect(SecurityLabels(confidentiality: .normal, sensitivities: ["HIV", "?"]).areLower(than: labels))
        #expect(SecurityLabels(confidentiality: .veryRestricted, sensitivities: ["HIV"]).areLower(than: labels))
        #expect(SecurityLabels(confidentiality: .veryRestricted, sensitivities: ["?"]).areLower(than: labels))
    }
}
