import Foundation
import TestSupport
import Testing

@testable import FHIR

@Suite struct SecurityLabelsTests {
    private func labels(_ members: String) throws -> [String] {
        try Resource(Array(#"{"resourceType":"Observation",\#(members)}"#.utf8)).securityLabels.map {
            "\($0.system ?? "-")|\($0.code ?? "-")"
        }
    }

    @Test func labelsOfAResourceAndItsContainedResourcesAreRead() throws {
        let found = try labels(
            #"""
            "meta":{"security":[{"system":"s","code":"R"},{"system":"t","code":"ETH"}]},
            "contained":[{"resourceType":"Patient","meta":{"security":[{"system":"s","code":"V"}]}},
                         {"resourceType":"Device"}]
            """#)
        #expect(found == ["s|R", "t|ETH", "s|V"])
    }

    @Test func aResourceWithoutLabelsHasNone() throws {
        #expect(try labels(#""status":"final""#) == [])
        #expect(try labels(#""meta":{"versionId":"1"}"#) == [])
        #expect(try labels(#""meta":{"security":[]},"contained":[]"#) == [])
        #expect(try labels(#""meta":null"#) == [])
    }

    @Test func noLabelIsLostByItsForm() throws {
        #expect(try labels(#""meta":{"security":{"system":"s","code":"R"}}"#) == ["s|R"])
        #expect(try labels(#""meta":[{"security":[[{"system":"s","code":"R"}]]}]"#) == ["s|R"])
        #expect(try labels(#""meta":{"security":["R",7,{}]}"#) == ["-|-", "-|-", "-|-"])
        #expect(try labels(#""meta":{"security":[{"system":1,"code":["R"]}]}"#) == ["-|-"])
        #expect(try labels(#""meta":"R""#) == ["-|-"])
        #expect(
            try labels(#""contained":{"contained":[{"meta":{"security":[{"code":"R"}]}}]}"#) == ["-|R"])
    }

    @Test(.enabled(if: PublishedData.url("fhir-r4.tar.xz") != nil))
    func onlyOnePublishedExampleHasASecurityLabel() throws {
        let folder = try PublishedData.unpacked("fhir-r4.tar.xz", ["fhir-r4/examples"])
        let files = PublishedData.files(below: URL(fileURLWithPath: folder.path))
        #expect(files.count > 300)
        var labelled: [String] = []
        for file in files {
            for label in try Resource(Data(contentsOf: file)).securityLabels {
                labelled.append("\(file.lastPathComponent) \(label.code ?? "-")")
            }
        }
        #expect(labelled == ["Condition-f202.json TBOO"])
    }
}
