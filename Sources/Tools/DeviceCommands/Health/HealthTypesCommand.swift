import ArgumentParser
import FHIR
import Foundation
import HealthData

extension HealthCommand {
    struct Types: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "types", abstract: "Show the types of health data: codes, units, values, an example of each.",
            discussion: """
                Up to three types are shown in full, with the resource that a sample becomes; more as a table.

                Example:
                  tributary health types --search "heart rate"
                  tributary health types --supplement study-types.json --json
                """)
        @Option(help: "Only types with these words in their names or codes.") var search: String?
        @Option(help: "A study's additions and changes, a JSON file; see docs/health-types.md.") var supplement: String?
        @Flag(help: "Print an array with all properties of each type, and an example.") var json = false
        @Flag(help: "Print the documentation page.") var markdown = false

        /// Maximum number of types that are shown in full.
        private static let shownWhole = 3

        func validate() throws {
            if json, markdown { throw ValidationError("--json and --markdown do not go together.") }
            if markdown, search != nil {
                throw ValidationError("--markdown takes no --search: the page is of all types.")
            }
        }

        func run() async throws {
            var table = HealthTypeTable.standard
            if let supplement {
                let json = try CommandInput.json(supplement)
                do {
                    table = try table.applying(supplement: json)
                } catch {
                    throw CommandError(error.code, "\(supplement): \(error.message)")
                }
            }
            if markdown {
                CommandOutput.result(Data(HealthTypePage.text(table).utf8))
                return
            }
            let types = search.map(table.search) ?? table.all
            if json {
                CommandOutput.result(.array(types.map(\.json)))
                return
            }
            guard !types.isEmpty else {
                throw CommandError("health-type-unknown", "No health type has these words in its names or codes.")
            }
            if search != nil, types.count <= Self.shownWhole {
                types.forEach(show)
            } else {
                CommandOutput.table(
                    ["TYPE", "TITLE", "FOLDER", "UNIT", "CODES"],
                    types.map { type in
                        [type.shortName, type.title, type.folder, type.unit?.ucum ?? "-", Self.codes(type)]
                    })
            }
        }

        private func show(_ type: HealthType) {
            CommandOutput.result("\(type.title) (\(type.identifier)), \(type.folder)")
            var rows = type.codings.map { ["code", "\($0.system ?? "") \($0.code ?? "")", $0.display ?? ""] }
            if let measure = type.measure {
                rows.append(["unit", measure.unit.ucum, "HealthKit: \(measure.healthKitUnit.text)"])
                if let range = measure.plausible {
                    rows.append(["likely", "\(range.lowerBound) to \(range.upperBound)", type.aggregation.rawValue])
                }
            }
            rows += type.options.prefix(20).map { ["value", $0.code, $0.display] }
            rows += type.components.prefix(20).map { ["component", $0.identifier, $0.title] }
            for row in rows { CommandOutput.result(row.filter { !$0.isEmpty }.joined(separator: "  ")) }
            if let example = type.example() { CommandOutput.result(example) }
        }

        private static func codes(_ type: HealthType) -> String {
            let codes = type.codings.dropLast().compactMap(\.code)
            return codes.isEmpty ? "-" : codes.joined(separator: " ")
        }
    }
}
