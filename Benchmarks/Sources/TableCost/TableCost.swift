import FHIR
import FHIRValidation
import Foundation
import UCUM

/// Prints the cost of the first use of the tables of R4 and of UCUM: milliseconds, and KiB of resident memory.
@main
struct TableCost {
    static func main() throws {
        var rows: [[String: Any]] = []
        func cost(_ name: String, _ body: () -> Bool) {
            let before = resident()
            let begin = ContinuousClock.now
            let isThere = body()
            let time = (ContinuousClock.now - begin).components
            let milliseconds = Double(time.seconds) * 1e3 + Double(time.attoseconds) / 1e15
            rows.append([
                "table": name, "milliseconds": (milliseconds * 100).rounded() / 100, "KiB": resident() - before,
                "isThere": isThere,
            ])
        }
        cost("types and elements of R4") { TypeModel.r4.typeCount > 0 }
        cost("UCUM") { UCUMUnit.isValid("mmol/L") }
        cost("constraints, value sets, extensions of R4") {
            FHIRValidator().validate(Array(#"{"resourceType":"Patient","active":true}"#.utf8)).isValid
        }
        cost("search parameters and compartments") { !SearchParameterTable.r4.parameters.isEmpty }
        let data = try JSONSerialization.data(withJSONObject: rows, options: [.sortedKeys])
        print(String(decoding: data, as: UTF8.self))
    }

    /// Resident memory in KiB.
    private static func resident() -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * 4
    }
}
