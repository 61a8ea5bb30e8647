import Testing

@testable import Warehouse

/// The ontology as a tree of text.
@Suite struct OntologyTreeTests {
    private func concept(_ path: String, name: String, code: String? = nil, type: String = "folder")
        -> OntologyConcept
    {
        OntologyConcept(path: path, name: name, code: code, type: type)
    }

    @Test func levelsAreIndentedAndColumnsAligned() {
        let tree = OntologyTree([
            concept("\\T\\", name: "Tributary"), concept("\\T\\Health\\", name: "Health data"),
            concept("\\T\\Health\\Steps\\", name: "Step Count", code: "LOINC:55423-8", type: "numeric"),
            concept("\\T\\Health\\Sleep\\", name: "Sleep", code: "HK:Sleep", type: "choice"),
            concept("\\T\\Health\\Sleep\\Deep\\", name: "Deep", code: "HK:Sleep:Deep", type: "option"),
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
            [concept("\\T\\", name: "Tributary")]
            + (1...40).map { level in
                concept("\\T" + String(repeating: "\\x", count: level) + "\\", name: long, code: code, type: "numeric")
            }
        for width in [100, 80, 60] {
            let lines = OntologyTree(concepts, width: width).lines
            #expect(lines.count == 42)
            #expect(lines.allSatisfy { $0.count <= width })
        }
        let line = OntologyTree(concepts).lines[2]
        #expect(line.hasPrefix("  How well did you sleep? How well"))
        // The scheme and the end of a code distinguish it from its neighbours.
        #expect(line.hasSuffix("…  HK:HKQuantityType…leepingWristTemp  numeric"))
    }

    @Test func lineEndsAndControlCharactersDoNotBreakALine() {
        let lines = OntologyTree([concept("\\T\\", name: "Two\nlines\u{1B}[31m  red", code: "A:\tb", type: "text")])
            .lines
        #expect(lines.count == 2)
        #expect(lines.last == "Two lines [31m red  A: b  text")
    }
}
