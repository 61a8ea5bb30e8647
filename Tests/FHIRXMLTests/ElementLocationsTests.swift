import Testing

@testable import FHIRXML

@Suite struct ElementLocationsTests {
    private let text = """
        <?xml version="1.0"?>
        <!-- <name> -->
        <Observation xmlns="http://hl7.org/fhir">
          <contained>
            <Patient><id value="p"/>
              <active value="maybe"/></Patient>
          </contained>
          <status value=">"/>
          <component><code/></component>
          <component><code><text value="x"/></code>
            <valueQuantity>
              <code value="kg"/></valueQuantity></component>
        </Observation>
        """

    @Test(arguments: [
        ("Observation", 3, 1), ("Observation.status", 8, 3), ("Observation.contained[0].active", 6, 7),
        ("Observation.component[0]", 9, 3), ("Observation.component[1]", 10, 3),
        ("Observation.component[1].value.ofType(Quantity).code", 12, 7),
        ("Observation.component[1].code.text", 10, 20),
        // A missing element has the position of its parent.
        ("Observation.component[1].value.ofType(Quantity).system", 11, 5), ("Observation.subject", 3, 1),
        ("Observation.component[0].code.coding", 9, 14),
    ])
    func anElementHasItsLineAndColumn(expression: String, line: Int, column: Int) {
        let locations = ElementLocations.locations(of: [expression], in: Array(text.utf8))
        #expect(locations[expression] == ElementLocations.Location(line: line, column: column), "\(locations)")
    }

    @Test func brokenTextEndsTheSearch() {
        for length in 0..<text.utf8.count {
            _ = ElementLocations.locations(of: ["Observation.component[1].code"], in: Array(text.utf8.prefix(length)))
        }
    }
}
