import DeviceCommands
import FHIR
import Foundation
import RecordStorage
import Storage
import StudyFiles
import StudyOperations
import Wire

/// A summary of the outcomes of everything that the demonstration's participants sent.
struct DemoSummary {
    let participants: Int
    let sent: Int
    let stored: Int
    let held: Int
    let refused: Int
    /// The number of current resources by type.
    let resources: [(type: String, count: Int)]
    /// The number of rows of `observation_fact` without modifiers.
    let facts: Int
    /// The care plan on two phones and at a doctor's.
    let care: CareDemonstration.Result

    static func gather(_ people: [DemoParticipant], care: CareDemonstration.Result, folder: StudyFolder) async throws
        -> DemoSummary
    {
        var statuses: [String: Int] = [:]
        for person in people {
            for delivery in try await person.deliveries() { statuses[delivery.status, default: 0] += 1 }
        }
        let database = try await StudyStores(folder).openRecords()
        let (resources, facts) = try await database.read { transaction in
            let facts = try transaction.first("SELECT count(*) AS number FROM observation_fact WHERE modifier_cd = '@'")
            return (
                try RecordStatistics().counts(in: transaction),
                Int(facts?.integerIfPresent("number") ?? 0)
            )
        }
        try await database.close()
        return DemoSummary(
            participants: people.count, sent: statuses.values.reduce(0, +), stored: statuses["stored"] ?? 0,
            held: statuses["held"] ?? 0, refused: statuses["refused"] ?? 0, resources: resources, facts: facts,
            care: care)
    }

    /// Whether nothing is missing, and exactly the answer after the withdrawal was refused.
    var addsUp: Bool { sent == stored + held + refused && refused == 1 && facts > 0 && care.addsUp }

    /// Returns the summary, with the paths of the results if there are any.
    func json(with results: DemoResults?) -> JSON {
        var summary = json
        if let results { summary["results"] = results.json }
        return summary
    }

    private var json: JSON {
        var types = JSONObject()
        for row in resources { types[row.type] = .number(JSONNumber(row.count)) }
        return [
            "participants": .number(JSONNumber(participants)), "submissionsSent": .number(JSONNumber(sent)),
            "submissionsStored": .number(JSONNumber(stored)), "submissionsHeld": .number(JSONNumber(held)),
            "submissionsRefused": .number(JSONNumber(refused)), "resources": .object(types),
            "facts": .number(JSONNumber(facts)), "carePlan": care.json,
        ]
    }

    func printTable() {
        CommandOutput.result("")
        CommandOutput.table(
            ["submissions", "count"],
            [
                ["sent", String(sent)], ["stored", String(stored)], ["held", String(held)],
                ["refused", String(refused)],
            ])
        CommandOutput.result("")
        CommandOutput.table(
            ["where", "what", "count"],
            resources.map { ["FHIR", $0.type, String($0.count)] } + [["i2b2", "facts", String(facts)]])
        CommandOutput.result("")
        CommandOutput.table(
            ["care plan", "versions", "task", "due", "done"],
            zip(["phone 1", "phone 2", "doctor"], care.versions).map { name, versions in
                [name, String(versions), care.title, String(care.due), String(care.done)]
            })
    }
}
