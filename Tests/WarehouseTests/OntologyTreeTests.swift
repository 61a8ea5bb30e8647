import Testing

@testable import Warehouse

/// The ontology as a tree of text.
@Suite struct OntologyTreeTests {
    private func concept(_ path: String, _ name: String, _ code: String? = nil, _ type: String = "folder")
        -> OntologyConcept
    {
        OntologyConcept(path: path, name: name, code: code, type: type)
    }

    @Test func eachLevelIsIndentedAndTheColumnsStandBelowEachOther() {
        let tree = OntologyTree([
            concept("\\T\\", "Tributary"), concept("\\T\\Health\\", "Health data"),
            concept("\\T\\Health\\Steps\\", "Step Count", "LOINC:55423-8", "numeric"),
            concept("\\T\\Health\\Sleep\\", "Sleep", "HK:Sleep", "choice"),
            concept("\\T\\Health\\Sleep\\Deep\\", "Deep", "HK:Sleep:Deep", "option"),
        ])
        #expect(
            tree.lines == [
                "name            code           type", "Tributary                      folder",
                "  Health data                  folder", "    Step Count  LOINC:55423-8  numeric",
                "    Sleep       HK:Sleep       choice", "      Deep      HK:Sleep:Deep  option",
            ])
    }

    @Test func noLineIsWiderThanItsWidth() {
        let long = String(repeating: "How well did you sleep? ", count: 20)
        let code = "HK:HKQuantityTypeIdentifierAppleSleepingWristTemp"
        let concepts =
            [concept("\\T\\", "Tributary")]
            + (1...40).map { level in
                concept("\\T" + String(repeating: "\\x", count: level) + "\\", long, code, "numeric")
            }
        for width in [100, 80, 60] {
            let lines = OntologyTree(concepts, width: width).lines
            #expect(lines.count == 42)
            #expect(lines.allSatisfy { $0.count <= width })
        }
        let line = OntologyTree(concepts).lines[2]
        #expect(line.hasPrefix("  How well did you sleep? How well"))
        // A code is told from its neighbours by its scheme and its end.
        #expect(line.hasSuffix("…  HK:HKQuantityType…leepingWristTemp  numeric"))
    }

    @Test func aFormsLineEndsAndControlsStayInTheirLine() {
        let lines = OntologyTree([concept("\\T\\", "Two\nlines\u{1B}[31m  red", "A:\tb", "text")]).lines
        #expect(lines.count == 2)
        #expect(lines.last == "Two lines [31m red  A: b  text")
    }
}
